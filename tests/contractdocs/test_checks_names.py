"""Names, lists and commands in documents that nothing has."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.contractdocs._plant import PAGE, PROJECT, Planted, lone, on_page, planted
from tools.contractdocs.api.model import Api
from tools.contractdocs.checks.names import WORDS


def fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


@pytest.mark.parametrize("code", ["FT33", "FT35", "FT36"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestNames:
    def test_that_there_are(self) -> None:
        spans = [
            "Agent.run",
            "async with agent.astream(...)",
            "finalturn.testing.ScriptedServer",
            "final_turn_only=True, hold_json=True",
            "sessions=",
            '"validation_failed"',
            "result.structured_status",
            "history += result.messages",
            "synthesis-never-streams",
            "make test",
            "--base-url",
            "src/finalturn",
            "@tool",
            'case StreamChunk(event="structured_reuse")',
            "finalturn[cli]",
            "AgentResult[Ticket]",
            '"tool_result"',
            "run_id",
            "pytest-xdist",
        ]
        text = "\n\n".join(f"`{span}`" for span in spans)
        assert on_page("FT33", f"{text}\n\n{fence('class Ticket: ...')}") == []

    @pytest.mark.parametrize(
        ("span", "said"),
        [
            ("structured_reused", "nothing is called structured_reused -> did you mean structured_reuse?"),
            ('"structured_reused"', "nothing is called structured_reused -> did you mean structured_reuse?"),
            ("Agent.runs", "Agent has no runs -> did you mean Agent.run?"),
            ("chunk.contents", "StreamChunk has no contents -> did you mean StreamChunk.content?"),
            ("hold_jason=True", "nothing is called hold_jason -> did you mean hold_json?"),
            ("StructuredOutputConfig(holding=True)", "nothing public takes holding -> "),
            ("reuse-signaled", "nothing is called reuse-signaled -> did you mean reuse-signalled?"),
            ("docs/guides/gone.md", "there is no file docs/guides/gone.md -> "),
            ("finalturn.agents", "there is no public finalturn.agents -> did you mean finalturn.Agent?"),
            ("--base-uri", "nothing is called base-uri -> did you mean base-url?"),
            ('chunk.event == "reuse"', 'no event is "reuse"; there are structured_reuse, '),
        ],
    )
    def test_that_there_are_not(self, span: str, said: str) -> None:
        (found,) = on_page("FT33", f"See `{span}`.")
        assert found.startswith(f"3 FT33 dead-name: `{span}`: {said}")

    def test_without_marks_in_prose(self) -> None:
        assert on_page("FT33", "The event structured_reused comes.") == [
            "3 FT33 dead-name: structured_reused: nothing is called structured_reused"
            " -> did you mean structured_reuse?"
        ]

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ('{"event": "object_ready"}', 'no event is "object_ready"'),
            ('if (chunk.event === "reuse") {', 'no event is "reuse"'),
            ("if result.structured_status == 'skip': ...", 'no structured_status is "skip"'),
            ("name = 'structured_reused'", "nothing is called structured_reused"),
        ],
    )
    def test_in_code_of_any_language(self, code: str, said: str) -> None:
        (found,) = on_page("FT33", fence(code, "js"))
        assert found.startswith("4 FT33 dead-name: ") and said in found

    def test_a_page_may_define_names(self) -> None:
        assert on_page("FT33", f"`desk.zzz`\n\n{fence('desk = Desk()' + chr(10) + 'desk.zzz(1)')}") == []

    def test_an_event_that_was_renamed_is_found_where_it_is_still_written(self) -> None:
        changed = {
            name: text.replace("structured_reuse", "reuse_shown") for name, text in PROJECT.files.items()
        }
        project = Planted(changed).with_file(PAGE, "# A page\n\nIt is `structured_reuse`.\n")
        (found,) = planted("FT33", project)
        assert found.startswith(f"{PAGE}:3 FT33 dead-name: ")

    def test_a_word_is_allowed_with_a_reason_while_a_document_writes_it(self) -> None:
        allowed = lone("`zzz`").with_file(WORDS, '[words]\n"zzz" = "a reason"\n')
        assert planted("FT33", lone("`zzz`")) and planted("FT33", allowed) == []
        assert planted("FT33", allowed.with_file(PAGE, "# A page\n")) == [
            f'{WORDS}:2 FT33 dead-name: no document writes "zzz" -> delete the entry, or mend it'
        ]
        assert planted("FT33", allowed.edited(WORDS, "a reason", "")) == [
            f'{WORDS}:2 FT33 dead-name: "zzz" has no reason -> delete the entry, or mend it'
        ]


def test_the_table_of_a_chunks_fields_has_all_of_them() -> None:
    members = PROJECT.api.members["finalturn.StreamChunk"]
    section = PROJECT.files["docs/guides/bubbles.md"].partition("| the chunk has |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(rows) == sorted(one.name for one in members if one.kind == "field")


class TestCommands:
    @pytest.mark.parametrize(
        ("command", "said"),
        [
            ("make tests", "the Makefile has no target tests; did you mean test?"),
            ("finalturn chats", "No such command 'chats'. Did you mean 'chat'?"),
            ("finalturn chat --modell x", "No such option: --modell"),
            ("finalturn serve a:b --hots x", "No such option: --hots"),
            ("pip install 'finalturn[clii]'", "finalturn has no extra clii; did you mean cli?"),
            ("pip install finalturn==9.9.9", "it names version 9.9.9; this is "),
            ("python -m tools.benches", "there is no module tools.benches to run"),
            ("pip install 'finalturn[cli]", "No closing quotation"),
        ],
    )
    def test_dead_ones(self, command: str, said: str) -> None:
        (found,) = on_page("FT35", f"```console\n$ {command}\n```")
        assert found.startswith(f'4 FT35 dead-command: "{command}" does not work: {said}')
        assert len(on_page("FT35", f"Run `{command}`.")) == 1

    def test_good_ones(self) -> None:
        commands = [
            "make test docs",
            "finalturn --version",
            "finalturn chat --model qwen3:8b --schema tickets:Ticket 'Hello there'",
            "finalturn demo --no-model # a comment",
            "pip install finalturn 'finalturn[cli,sql]'",
            "python -m tools.contractdocs review",
            "make demo | cat",
        ]
        assert on_page("FT35", "```\n{}\n```".format("\n".join(commands))) == []


class TestUnits:
    @pytest.mark.parametrize(
        ("path", "name", "text", "said"),
        [
            (
                "finalturn.CoherenceGate",
                "timeout",
                "milliseconds to wait",
                "in milliseconds; it is in seconds",
            ),
            (
                "finalturn.Agent",
                "max_answer_bytes",
                "its kilobytes",
                "in kilobytes; it is in bytes",
            ),
            ("finalturn.Agent", "wait_ms", "minutes to wait", "wait_ms in minutes; it is in milliseconds"),
            ("finalturn.CoherenceGate", "timeout", "seconds to wait, ten minutes by default", ""),
            ("finalturn.Agent", "runtime", "minutes that it took", ""),
        ],
    )
    def test_a_docstring_that_says_another_unit_than_the_name(
        self, path: str, name: str, text: str, said: str
    ) -> None:
        symbol = replace(PROJECT.api.symbols[path], docstring=f"It.\n\nArgs:\n    {name}: {text}.\n")
        project = Planted(PROJECT.files)
        vars(project)["api"] = Api({path: symbol})
        found = planted("FT36", project)
        assert len(found) == bool(said) and all(said in line for line in found)
