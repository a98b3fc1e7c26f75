"""Names in documents that nothing has, in prose and in code."""

from __future__ import annotations

import pytest

from tests.contractdocs._lone_page import PAGE, lone, on_page
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.kinds.text_vocabulary import WORDS


def found(text: str) -> list[str]:
    return on_page("FT33", text)


def fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```"


@pytest.mark.parametrize("code", ["FT33", "FT3G"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


@pytest.mark.parametrize(
    "span",
    [
        "Agent",
        "Agent.run",
        "agent.astream(...)",
        "async with agent.astream(...)",
        "finalturn.providers",
        "finalturn.testing.ScriptedServer",
        "final_turn_only=True, hold_json=True",
        "StructuredOutputConfig(final_turn_only=True)",
        "sessions=",
        "session",
        '"validation_failed"',
        "structured_reuse",
        "result.structured_status",
        "chunk.call",
        "history += result.messages",
        "synthesis-never-streams",
        "FT33",
        "make test",
        "finalturn chat",
        "--base-url",
        "src/finalturn",
        "src/finalturn/_agent/driver.py",
        "None",
        "@tool",
        'case StreamChunk(event="structured_reuse")',
        "finalturn[cli]",
        "AgentResult[Ticket]",
        "tool_call",
        '"tool_result"',
        "run_id",
        "retryable",
    ],
)
def test_names_that_there_are(span: str) -> None:
    known = fence("class Ticket: ...")
    assert found(f"`{span}`\n\n{known}") == []


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("structured_reused", "nothing is called structured_reused -> did you mean structured_reuse?"),
        (
            '"structured_reused"',
            '"structured_reused" is no value of anything -> did you mean structured_reuse?',
        ),
        ("Agent.runs", "Agent has no runs -> did you mean Agent.run?"),
        ("chunk.contents", "StreamChunk has no contents -> did you mean StreamChunk.content?"),
        ("hold_jason=True", "nothing is called hold_jason -> did you mean hold_json?"),
        ("format=True", "nothing public takes format -> did you mean response_format?"),
        ("hold_json=3", "hold_json cannot be 3 -> did you mean StructuredOutputConfig.hold_json?"),
        (
            "StructuredOutputConfig(hold=True)",
            "StructuredOutputConfig takes no hold -> did you mean hold_json?",
        ),
        ("reuse-signaled", "nothing is called reuse-signaled -> did you mean reuse-signalled?"),
        ("docs/guides/gone.md", "there is no file docs/guides/gone.md -> did you mean x?"),
        ("finalturn.agents", "there is no public finalturn.agents -> did you mean finalturn.Agent?"),
        ("finalturn[all]", "finalturn has no extra all -> did you mean call?"),
        ("--base-uri", "no command has the option --base-uri -> did you mean --base-url?"),
    ],
)
def test_names_that_there_are_not(span: str, message: str) -> None:
    [line] = found(f"See `{span}`.")
    said, _, _ = message.partition(" -> ")
    assert line.startswith(f"3 FT33 dead-name: `{span}`: {said} -> ")


def test_the_whole_message() -> None:
    assert planted("FT33", lone("The event `structured_reused` comes.")) == [
        f"{PAGE}:3 FT33 dead-name: `structured_reused`: nothing is called structured_reused"
        " -> did you mean structured_reuse?"
    ]


def test_a_name_without_marks_in_prose() -> None:
    assert found("The event structured_reused comes.") == [
        "3 FT33 dead-name: structured_reused: nothing is called structured_reused"
        " -> did you mean structured_reuse?"
    ]


HEAD = "from finalturn import Agent, StreamChunk, StructuredOutputConfig\n"


@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ("from finalturn import Agents", 4, "finalturn has no public Agents"),
        (
            "from finalturn._core.chunks import StreamChunk",
            4,
            "finalturn._core.chunks has no public StreamChunk; it is finalturn.StreamChunk",
        ),
        ("import finalturn._core", 4, "finalturn._core is not a public module"),
        (f"{HEAD}Agent(model, format=int)", 5, "Agent takes no format"),
        (f"{HEAD}StructuredOutputConfig(hold_json=1)", 5, "hold_json of StructuredOutputConfig cannot be 1"),
        (f"{HEAD}agent = Agent(model)\nagent.run('Hi', sessions='a')", 6, "Agent.run takes no sessions"),
        (f"{HEAD}agent = Agent(model)\nagent.run('Hi').txt", 6, "AgentResult has no txt"),
        (f"{HEAD}agent = Agent(model)\nagent.run('Hi').messages[-1].contents", 6, "Message has no contents"),
        ("chunk.event == 'reuse'", 4, 'no event is "reuse"'),
        ("if result.structured_status in ('ok', 'skip'): ...", 4, 'no structured_status is "skip"'),
        (f"{HEAD}match item:\n    case StreamChunk(event='reuse'): ...", 6, 'no event is "reuse"'),
        (f"{HEAD}match item:\n    case StreamChunk(kind='x'): ...", 6, "StreamChunk has no kind"),
        ("match chunk.event:\n    case 'reuse': ...", 5, 'no event is "reuse"'),
        ("name = 'structured_reused'", 4, "nothing is called structured_reused"),
        ("print('reuse-signaled')", 4, "nothing is called reuse-signaled"),
    ],
)
def test_python_in_a_fence(code: str, line: int, said: str) -> None:
    assert [one.partition(" -> ")[0] for one in found(fence(code))] == [
        f"{line} FT33 dead-name: `{code.split(chr(10))[line - 4].strip()}`: {said}"
    ]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            '{"event": "object_ready"}',
            'no event is "object_ready" -> there are structured_reuse, structured_synthesis_start',
        ),
        (
            'if (chunk.event === "reuse") {',
            'no event is "reuse" -> there are structured_reuse, structured_synthesis_start',
        ),
        (
            'switch (data.event) { case "reuse": break }',
            'no event is "reuse" -> there are structured_reuse, structured_synthesis_start',
        ),
        ("structured_reused", "nothing is called structured_reused -> did you mean structured_reuse?"),
    ],
)
def test_other_code_in_a_fence(code: str, said: str) -> None:
    assert found(fence(code, "js")) == [f"4 FT33 dead-name: `{code}`: {said}"]


def test_a_page_may_define_names() -> None:
    code = f"{HEAD}structured_reused = 1\nclass Desk: ...\ndesk = Desk()\ndesk.anything(format=1)"
    assert found(f"`desk.anything` and `structured_reused`\n\n{fence(code)}") == []


class TestWords:
    def test_one_that_no_document_writes(self) -> None:
        project = lone("").with_file(WORDS, '[words]\n"zzz" = "a reason"\n')
        assert planted("FT3G", project) == [
            f'{WORDS}:2 FT3G stale-word: no document writes "zzz" -> delete the entry, or mend it'
        ]

    def test_one_without_a_reason(self) -> None:
        project = lone("`zzz`").with_file(WORDS, '[words]\n"zzz" = ""\n')
        assert planted("FT3G", project) == [
            f'{WORDS}:2 FT3G stale-word: "zzz" has no reason -> delete the entry, or mend it'
        ]

    def test_one_that_is_a_name_anyway(self) -> None:
        project = lone("`Agent`").with_file(WORDS, '[words]\n"Agent" = "a reason"\n')
        assert planted("FT3G", project) == [
            f'{WORDS}:2 FT3G stale-word: "Agent" is a name anyway -> delete the entry, or mend it'
        ]

    def test_a_word_is_allowed(self) -> None:
        project = lone("`zzz`")
        text = PROJECT.files[WORDS] + '"zzz" = "a reason"\n'
        assert [line for line in planted("FT33", project) if line.startswith(PAGE)] != []
        assert [
            line for line in planted("FT33", project.with_file(WORDS, text)) if line.startswith(PAGE)
        ] == []
