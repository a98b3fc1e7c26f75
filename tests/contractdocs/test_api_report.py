"""The API report: what it shows of a change, and what changes nothing in it."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT
from tools.contractdocs.api.report import HEAD, PATH, blocks, first_sentence, report, wrapped
from tools.contractdocs.project import Project

RESULT = "src/finalturn/_core/result.py"
CONFIG = "src/finalturn/_agent/config.py"
TOOL = "src/finalturn/_tools/tool.py"
MEMORY = "src/finalturn/_sessions/memory.py"


def names_in(project: Project) -> list[str]:
    """The lines of the report, but for what names mean."""
    return [line for line in report(project.api).splitlines() if not line.startswith("    # ")]


@pytest.mark.parametrize(
    ("file", "old", "new", "shown"),
    [
        (
            "src/finalturn/_agent/config.py",
            "hold_json: bool = False",
            "hold_json: bool = True",
            "hold_json: bool = True",
        ),
        (
            RESULT,
            "    def unwrap(",
            "    def total(self) -> int: ...\n\n    def unwrap(",
            "def total() -> int",
        ),
        (
            "src/finalturn/_core/protocols.py",
            'Literal["policy", "approval", "coherence"]',
            'Literal["policy", "approval"]',
            "DenialKind = Literal['policy', 'approval']",
        ),
        (
            "src/finalturn/_tools/tool.py",
            "DEFAULT_TIMEOUT = 60.0",
            "DEFAULT_TIMEOUT = 90.0",
            "timeout: float | None = 90.0,",
        ),
        (
            "src/finalturn/_sessions/memory.py",
            "@stable(since=",
            "@beta(since=",
            "InMemorySessions (class, beta since",
        ),
    ],
)
def test_a_change_of_what_users_can_name_shows(file: str, old: str, new: str, shown: str) -> None:
    lines = names_in(PROJECT.edited(file, old, new))
    assert any(shown in line for line in lines if line not in names_in(PROJECT))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("src/finalturn/_core/result.py", "class Usage:", "class Usage:  # tokens"),
        ("src/finalturn/_core/result.py", '"""Tokens, as', '"""How many tokens, as'),
        ("src/finalturn/_core/messages.py", "def _role(", "def _helper() -> None: ...\n\n\ndef _role("),
        ("src/finalturn/_gates/coherence.py", "timeout: float | None = 60.0", "timeout: float | None=(60.0)"),
        (
            "src/finalturn/__init__.py",
            '    "Agent",\n    "AgentResult",\n',
            '    "AgentResult",\n    "Agent",\n',
        ),
    ],
)
def test_what_changes_nothing_that_users_can_name(file: str, old: str, new: str) -> None:
    assert names_in(PROJECT.edited(file, old, new)) == names_in(PROJECT)


def test_the_report_has_no_line_numbers_and_reads_back() -> None:
    text = report(PROJECT.api)
    assert text.startswith(HEAD)
    assert set(blocks(text)) == set(PROJECT.api.symbols)
    assert "src/" not in text


def test_a_long_signature_has_a_parameter_on_each_line() -> None:
    names = "first_name, second_name, third_name, fourth_name, fifth_name, sixth_name, seventh_name, eighth"
    assert wrapped(f"def f({names}: str = 'a, (b', *, c: dict[str, int] = {{}}) -> int") == [
        "def f(",
        *(f"    {name}," for name in names.split(", ")[:-1]),
        "    eighth: str = 'a, (b',",
        "    *,",
        "    c: dict[str, int] = {},",
        ") -> int",
    ]
    assert wrapped("def f(a, b)") == ["def f(a, b)"]
    assert wrapped("x" * 200) == ["x" * 200]


@pytest.mark.parametrize(
    ("docstring", "meaning"),
    [
        ("", ""),
        ("One model call.", "One model call."),
        ("One model call. It may fail.\n\nMore.", "One model call."),
        ("A message that\nis long. Deep-frozen.", "A message that is long."),
        (
            "the URL, e.g. https://example.org; ``None`` without one.",
            "the URL, e.g. https://example.org; ``None`` without one.",
        ),
        ("What the model calls it by: `name`.", "What the model calls it by"),
        ("Nothing ends it", "Nothing ends it"),
    ],
)
def test_what_a_name_means_is_the_first_sentence(docstring: str, meaning: str) -> None:
    assert first_sentence(docstring) == meaning


def test_each_name_is_there_with_what_it_means() -> None:
    found = blocks(report(PROJECT.api))
    for path, symbol in PROJECT.api.symbols.items():
        lines = found[path][1].splitlines()
        meanings = [line for line in lines if line.startswith("    # ")]
        assert meanings == [f"    # {first_sentence(symbol.docstring)}"] * bool(symbol.docstring), path


def test_another_meaning_changes_the_report_and_is_no_change_of_the_api() -> None:
    drift = PROJECT.edited(RESULT, '"""The terminal result of a turn.', '"""What a turn ends with.')
    assert "\n    # What a turn ends with.\n" in report(drift.api)
    assert report(drift.api) != report(PROJECT.api)
    assert names_in(drift) == names_in(PROJECT)


def test_the_page_for_assistants_leads_there() -> None:
    assert f"({PATH})" in PROJECT.files["AGENT.md"]
