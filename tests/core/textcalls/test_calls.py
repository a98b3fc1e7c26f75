"""The text of a call, piece by piece: what is visible when."""

from __future__ import annotations

import pytest

from finalturn._core.textcalls.calls import TextToolCalls

F = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    ("pieces", "visible"),
    [
        # Prose flows; a bracket waits until it cannot be the tag.
        (["Hi", " there"], ["Hi", " there", ""]),
        (["a <", "b"], ["a ", "<b", ""]),
        (["a <tool", "s>"], ["a ", "<tools>", ""]),
        (["a <tool_call"], ["a ", "<tool_call"]),
        (["1 < 2"], ["1 < 2", ""]),
        # Blocks are out of sight, and so is the blank text around them.
        ([F], ["", ""]),
        (["Hi ", F], ["Hi ", "", ""]),
        (["\n", F, "\n"], ["", "", "", ""]),
        (["Hi.", f"\n{F}\n", "Bye."], ["Hi.", "\n", "Bye.", ""]),
        (["Hi.", F, "\n", "Bye."], ["Hi.", "", "", "\nBye.", ""]),
        (["Hi", F[:20], F[20:], "!"], ["Hi", "", "", "!", ""]),
        # Blank text that surrounds nothing is text.
        ([" \n"], ["", " \n"]),
        (["", " Hi"], ["", " Hi", ""]),
        ([""], ["", ""]),
    ],
)
def test_what_each_piece_shows(pieces: list[str], visible: list[str]) -> None:
    calls = TextToolCalls(["f"])
    shown = [calls.feed(piece) for piece in pieces]
    rest, found = calls.finish()
    assert [*shown, rest] == visible
    assert [call.name for call in found] == ["f"] * "".join(pieces).count(F)


def test_without_tools_everything_passes_as_it_is() -> None:
    calls = TextToolCalls([])
    assert [calls.feed(F), calls.feed(" <")] == [F, " <"]
    assert calls.finish() == ("", ())


def test_what_stands_behind_a_block_that_was_never_closed_is_looked_at() -> None:
    calls = TextToolCalls(["f"])
    assert calls.feed('<tool_call>{"x": "</tool_call>Bye.') == ""
    rest, found = calls.finish()
    assert rest == "Bye."
    assert [call.error is not None for call in found] == [True]
