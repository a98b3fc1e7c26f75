"""Names, lists and commands in documents that nothing has."""

from __future__ import annotations

import pytest

from tests.contractdocs._lone_page import PAGE, lone, on_page
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.checks.names import WORDS
from tools.contractdocs.project import Project


def fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


@pytest.mark.parametrize("code", ["FT33", "FT34", "FT35"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestNames:
    @pytest.mark.parametrize(
        "span",
        [
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
        ],
    )
    def test_that_there_are(self, span: str) -> None:
        assert on_page("FT33", f"`{span}`\n\n{fence('class Ticket: ...')}") == []

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
            ("finalturn[all]", "finalturn has no extra all -> "),
            ("--base-uri", "no command has the option --base-uri -> did you mean --base-url?"),
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

    def test_an_event_that_was_renamed_leaves_no_page_behind(self) -> None:
        page = "docs/guides/bubbles.md"
        renamed = {
            name: text if name == page else text.replace("structured_reuse", "reuse_shown")
            for name, text in PROJECT.files.items()
        }
        found = planted("FT33", Project(renamed))
        assert found and all(line.startswith(f"{page}:") for line in found)

    def test_a_word_is_allowed_with_a_reason_while_a_document_writes_it(self) -> None:
        allowed = lone("`zzz`").with_file(WORDS, '[words]\n"zzz" = "a reason"\n')
        assert planted("FT33", lone("`zzz`")) and planted("FT33", allowed) == []
        assert planted("FT33", allowed.with_file(PAGE, "# A page\n")) == [
            f'{WORDS}:2 FT33 dead-name: no document writes "zzz" -> delete the entry, or mend it'
        ]
        assert planted("FT33", allowed.edited(WORDS, "a reason", "")) == [
            f'{WORDS}:2 FT33 dead-name: "zzz" has no reason -> delete the entry, or mend it'
        ]


class TestLists:
    def test_a_table_with_other_rows_than_the_class_has_members(self) -> None:
        rows = (
            "| event | means |\n|---|---|\n| `structured_reuse` | a |\n| `structured_synthesis_start` | b |\n"
        )
        page = f"<!-- covers: finalturn.StreamEvent -->\n\n{rows}"
        assert on_page("FT34", page) == []
        assert on_page("FT34", page.replace("structured_reuse", "reuse")) == [
            "3 FT34 hand-copied-type: a list of finalturn.StreamEvent: structured_reuse missing here"
            " -> add it"
        ]
        assert on_page("FT34", f"{page}| `reuse` | c |\n") == [
            "3 FT34 hand-copied-type: a list of finalturn.StreamEvent: it has no reuse -> take it out here"
        ]

    def test_a_new_field_is_missing_in_the_guide(self) -> None:
        file = "src/finalturn/_core/chunks.py"
        project = PROJECT.edited(file, "    content: str", "    mood: str | None = None\n    content: str")
        assert ["mood missing here" in line for line in planted("FT34", project)] == [True]

    @pytest.mark.parametrize(
        ("page", "said"),
        [
            ("<!-- covers: finalturn.StreamEvents -->\n\n- `a`", "there is no such class"),
            ("<!-- covers: finalturn.StreamEvent -->\n\nText.", "no table or list stands below the marker"),
        ],
    )
    def test_a_marker_of_nothing(self, page: str, said: str) -> None:
        (found,) = on_page("FT34", page)
        assert said in found


class TestCommands:
    @pytest.mark.parametrize(
        ("command", "said"),
        [
            ("make tests", "the Makefile has no target tests -> did you mean test?"),
            ("finalturn chats", "finalturn has no command chats -> did you mean chat?"),
            ("finalturn chat --modell x", "finalturn chat has no option --modell -> did you mean --model?"),
            ("finalturn serve a:b --hots x", "finalturn serve has no option --hots -> did you mean --host?"),
            ("pip install 'finalturn[clii]'", "finalturn has no extra clii -> did you mean cli?"),
            ("pip install finalturn==9.9.9", "it names version 9.9.9; this is "),
            ("python -m tools.benches", "there is no module tools.benches to run -> mend the name"),
            ("pip install 'finalturn[cli]", "the shell cannot read it -> close the quotes"),
        ],
    )
    def test_dead_ones(self, command: str, said: str) -> None:
        (found,) = on_page("FT35", f"```console\n$ {command}\n```")
        assert found.startswith(f'4 FT35 dead-command: "{command}" does not work: {said}')
        assert len(on_page("FT35", f"Run `{command}`.")) == 1

    @pytest.mark.parametrize(
        "command",
        [
            "make test docs",
            "finalturn --version",
            "finalturn chat --model qwen3:8b --schema tickets:Ticket 'Hello there'",
            "finalturn demo --no-model # a comment",
            "pip install finalturn 'finalturn[cli,sql]'",
            "python -m tools.contractdocs review",
            "make demo | cat",
        ],
    )
    def test_good_ones(self, command: str) -> None:
        assert on_page("FT35", f"```\n{command}\n```") == []
