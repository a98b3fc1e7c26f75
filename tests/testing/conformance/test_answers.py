"""Scripted answers, as the author of a fake reads them."""

from __future__ import annotations

import pytest

from finalturn import ModelEnd, ProviderError, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from finalturn._testing.conformance.answers import breaks_off, calls, fails, says
from finalturn.providers import Scripted
from finalturn.testing import ScriptedAnswer

END = ModelEnd("stop", Usage(input_tokens=1))


def test_an_answer_of_text() -> None:
    answer = says("Hel", "lo", reasoning=["hm", "!"], end=END)
    assert (answer.text, answer.reasoning, answer.end) == ("Hello", "hm!", END)
    assert answer.events == (
        ReasoningDelta("hm"),
        ReasoningDelta("!"),
        TextDelta("Hel"),
        TextDelta("lo"),
        END,
    )
    assert (answer.error, answer.cut, answer.tool_calls) == (None, False, ())


def test_an_answer_ends_well_unless_it_says_otherwise() -> None:
    assert says("Hi").end == ModelEnd()
    assert calls(("a", "look", "{}")).end == ModelEnd("tool_calls")
    assert calls(("a", "look", "{"), end=ModelEnd("length")).end == ModelEnd("length")


def test_an_answer_that_fails() -> None:
    error = ProviderError("it failed", status=503)
    answer = fails(error, "Hel", "lo")
    assert (answer.error, answer.text, answer.end, answer.cut) == (error, "Hello", None, False)
    assert answer.events == (TextDelta("Hel"), TextDelta("lo"))


def test_an_answer_that_breaks_off() -> None:
    answer = breaks_off("Hel")
    assert (answer.cut, answer.text, answer.end, answer.error) == (True, "Hel", None, None)
    assert answer.events == (TextDelta("Hel"),)


def test_calls_come_in_pieces_and_can_be_had_whole() -> None:
    answer = calls(("a", "look", '{"order": "A-1"}'), ("b", "cancel", "{}"), text="Wait. ")
    pieces = [event for event in answer.events if isinstance(event, ToolCallDelta)]
    assert len([piece for piece in pieces if piece.index == 0]) > 2
    assert [piece.name for piece in pieces if piece.name] == ["look", "cancel"]
    assert answer.text == "Wait. "
    assert answer.tool_calls == (
        ToolCallDelta(0, "a", "look", '{"order": "A-1"}'),
        ToolCallDelta(1, "b", "cancel", "{}"),
    )


def test_an_answer_is_a_sequence_that_a_scripted_model_plays() -> None:
    answer = says("Hel", "lo")
    assert (len(answer), answer[0], answer[1:]) == (3, TextDelta("Hel"), (TextDelta("lo"), ModelEnd()))
    Scripted(answer)


@pytest.mark.parametrize("items", [(TextDelta("a"), ModelEnd())])
def test_answers_are_values(items: tuple[TextDelta | ModelEnd, ...]) -> None:
    assert ScriptedAnswer(items) == ScriptedAnswer(items)
    assert len({ScriptedAnswer(items), ScriptedAnswer(items)}) == 1
