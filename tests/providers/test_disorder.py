"""An answer is the same, however disorderly a server spells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalturn._core.result import Usage
from tests.providers import _anthropic_wire, _bedrock_wire, _gemini_wire, _responses_wire, _wire
from tests.providers._disorder import (
    ANSWERS,
    Answer,
    Draw,
    Spelled,
    anthropic_messages,
    bedrock_converse,
    chat_completions,
    generate_content,
    openai_responses,
)

Read = Callable[[bytes, Iterable[int]], _wire.Read]
Spell = Callable[[Answer, Draw], Spelled]

FORMATS: dict[str, tuple[Spell, Read]] = {
    "chat": (chat_completions, _wire.read),
    "generateContent": (generate_content, _gemini_wire.read),
    "Messages": (anthropic_messages, _anthropic_wire.read),
    "Responses": (openai_responses, _responses_wire.read),
    "Converse": (bedrock_converse, _bedrock_wire.read),
}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=75)
@given(ANSWERS, st.data())
def test_nothing_of_an_answer_is_lost_and_nothing_added(
    name: str, answer: Answer, data: st.DataObject
) -> None:
    spell, read = FORMATS[name]
    draw = Draw(data)
    body, finish = spell(answer, draw)
    got = read(body, draw.cuts(len(body)))
    assert got.failure is None
    assert (got.text, got.reasoning) == (answer.said("text"), answer.said("thought"))
    assert [(call.name, call.arguments, call.error) for call in got.calls] == [
        (name, arguments, None) for name, arguments in answer.calls
    ]
    assert got.finish == finish
    # Converse does not tell how many tokens were thoughts.
    expected = answer.usage
    if expected is not None and name == "Converse":
        asked, answered = expected.input_tokens, expected.output_tokens
        expected = Usage(asked, expected.cached_tokens, answered, 0, expected.total_tokens)
    assert got.usage == expected
