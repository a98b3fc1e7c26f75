"""The pytest plugin: the table at the end of a run."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from pytest_examples import find_examples

pytestmark = pytest.mark.processes

pytest_plugins = ["pytester"]

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "write-a-provider.md"

KITS = """
    from dataclasses import replace

    import pytest

    from finalturn import ModelEnd, ReasoningDelta, TextDelta
    from finalturn.providers import Scripted
    from finalturn.testing import ProviderConformance


    class TestGood(ProviderConformance):
        def provider(self, calls):
            return Scripted(*calls)


    class TestLoud(ProviderConformance):
        backends = ("asyncio",)
        reports_usage = False

        def provider(self, calls):
            if calls[0].end and calls[0].end.finish_reason == "refusal":
                pytest.skip("this vendor refuses nothing")
            return Loud(Scripted(*calls))


    class Loud:
        def __init__(self, script):
            self.script = script

        async def stream(self, request):
            async for event in self.script.stream(request):
                yield TextDelta(event.text) if isinstance(event, ReasoningDelta) else event
"""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_kits=KITS)
    return pytester.runpytest_inprocess("-p", "no:randomly", *arguments)


def table(result: pytest.RunResult) -> list[str]:
    """The lines from the table's heading to the end of the table."""
    lines = result.outlines
    begin = next((place for place, line in enumerate(lines) if "the clauses that providers" in line), None)
    if begin is None:
        return []
    rows = lines[begin + 1 :]
    end = next(place for place, line in enumerate(rows) if line.startswith("==="))
    return [line.rstrip() for line in rows[:end] if line]


def test_it_is_installed_for_pytest_to_find() -> None:
    (found,) = (entry for entry in entry_points(group="pytest11") if entry.name == "finalturn")
    assert found.value == "_finalturn_pytest"


def test_it_loads_nothing_of_the_library() -> None:
    code = (
        "import sys, _finalturn_pytest; print([name for name in sys.modules if name.startswith('finalturn')])"
    )
    source = str(Path(__file__).parents[1] / "src")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "[]\n"


def test_each_clause_of_each_class_has_a_line(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "reasoning or usage or closed or refusal")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert table(result) == [
        "test_kits.py::TestGood",
        "  close-stops-work  not run   released() is not overridden",
        "  explicit-outcome  upheld    in 4 tests",
        "  reasoning-apart   upheld    in 8 tests",
        "  usage-complete    upheld    in 8 tests",
        "  recorded turns that were checked for what a recording can decide: 12",
        "test_kits.py::TestLoud",
        "  close-stops-work  not run   released() is not overridden",
        "  explicit-outcome  not run   this vendor refuses nothing",
        "  reasoning-apart   violated  in call (stream), turn (stream)",
        "  usage-complete    not run   reports_usage is False",
        "  11 tests not run: backends leaves trio out",
        "  4 tests not run: the provider has no method complete",
        "  recorded turns that were checked for what a recording can decide: 1",
    ]


def test_where_no_method_or_event_loop_is_left_that_is_the_reason(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "TestLoud and reasoning and trio")
    assert table(result)[1:2] == ["  reasoning-apart  not run   backends leaves trio out"]


def test_a_clause_may_be_upheld_in_part(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "TestGood and test_tool_calls and asyncio and complete")
    assert table(result)[1:2] == [
        "  tool-calls-always-stream  upheld    in 2 tests; 1 not run: sent() is not overridden"
    ]


def test_a_failure_says_what_was_wanted(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "TestLoud and reasoning and call-stream-asyncio")
    result.stdout.fnmatch_lines(
        [
            "*TestLoud.test_reasoning_apart?call-stream-asyncio?*",
            "reasoning-apart is violated: the text: wanted 'Your order is on its way.', got 'Let me think.*",
        ]
    )


def test_the_exit_code_is_pytests(pytester: pytest.Pytester) -> None:
    assert run(pytester, "-k", "TestGood and reasoning").ret == pytest.ExitCode.OK


def test_workers_send_their_part(pytester: pytest.Pytester) -> None:
    chosen = ("-k", "reasoning or usage")
    alone = table(run(pytester, *chosen))
    assert alone
    assert table(pytester.runpytest_subprocess(*chosen, "-n", "2")) == alone


def test_a_run_without_conformance_tests_has_no_table(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(record_property):\n    record_property('a', 'b')")
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.OK
    assert table(result) == []
    assert "finalturn:" not in result.stdout.str()


def test_without_the_plugin_the_tests_are_the_same(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-p", "no:finalturn", "-k", "reasoning and not trio")
    result.assert_outcomes(passed=4, failed=2, skipped=2)
    assert table(result) == []


def test_an_exception_of_the_provider_is_shown_with_its_clause(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from finalturn.testing import ProviderConformance


        class TestBroken(ProviderConformance):
            def provider(self, calls):
                return self

            async def complete(self, request):
                return {}["out of order"]
        """
    )
    result = pytester.runpytest_inprocess("-k", "plain-turn-complete-asyncio or text-complete-asyncio")
    result.stdout.fnmatch_lines(["*KeyError: 'out of order'*", "*result-is-last is violated: *KeyError*"])
    assert table(result)[1:3] == [
        "  result-is-last      violated  in plain-turn (complete)",
        "  whole-reply-parity  not run   a plain turn fails, too: see result-is-last",
    ]


def test_what_a_recorded_turn_breaks_has_a_line_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from finalturn.contract import CLAUSES, Violation
        from finalturn.providers import Scripted
        from finalturn.testing import ProviderConformance
        import pytest


        def find(trace):
            yield Violation(3, "silence")


        @pytest.fixture(autouse=True)
        def one_more_check(monkeypatch):
            from dataclasses import replace

            changed = [replace(clause, check=find) for clause in CLAUSES if clause.id == "handler-parity"]
            monkeypatch.setattr("finalturn.contract.CLAUSES", tuple(changed))


        class TestGood(ProviderConformance):
            def provider(self, calls):
                return Scripted(*calls)
        """
    )
    result = pytester.runpytest_inprocess("-k", "reasoning and turn-stream-asyncio")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    words = "handler-parity is violated: record 3 of a recorded turn: expected silence"
    result.stdout.fnmatch_lines([words])
    assert table(result)[1:3] == [
        "  handler-parity   violated  in turn (stream)",
        "  reasoning-apart  upheld    in 1 test",
    ]


def test_the_guide_shows_what_pytest_prints(pytester: pytest.Pytester) -> None:
    fences = [example.source for example in find_examples(str(GUIDE))]
    shown = re.search(r"```text\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    pytester.makepyfile(lines=fences[0], test_lines=fences[1], test_chat=fences[2])
    pytester.syspathinsert()
    result = pytester.runpytest_inprocess()
    found = table(result)
    assert result.ret == pytest.ExitCode.OK
    assert found[found.index("test_lines.py::TestLines") :] == shown[1].splitlines()
    assert "test_chat.py::TestMyServer" in found
