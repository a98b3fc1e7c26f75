"""The object as it grows: what is shown of it, when, and that it is no content."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import pytest
from pydantic import BaseModel, TypeAdapter

from finalturn import Capabilities, StructuredOutputConfig
from finalturn._core.output.partial import extends
from finalturn.contract import PARTIAL_OBJECTS, SYNTHESIS_NEVER_STREAMS
from finalturn.providers import Scripted
from tests.contract._play import Play
from tests.contract._proves import proves
from tests.contract._scenes import (
    ANSWER,
    FINAL,
    INVALID,
    LOOKUP,
    PARTIALS,
    PROSE,
    SENTINEL,
    Ticket,
    lookup,
    skipping,
)


class Line(BaseModel):
    name: str
    count: int


class Order(BaseModel):
    kind: Literal["order", "order again"]
    note: str
    lines: list[Line]
    paid: bool | None = None


ORDER: dict[str, Any] = {
    "kind": "order again",
    "note": "by the door, please",
    "lines": [{"name": "lamp", "count": 12}, {"name": "bulb", "count": 3}],
    "paid": True,
}
WRITTEN = json.dumps({**ORDER, "colour": "red"})
NATIVE = Capabilities(native_schema=True)


def pieces(text: str) -> list[Any]:
    return Scripted.pieces(text, 3)


@proves(PARTIAL_OBJECTS)
def test_the_object_of_a_synthesis_call_is_shown_as_it_grows(play: Play) -> None:
    observed = play(PROSE, pieces(WRITTEN), response_format=Order, config=PARTIALS)
    values = [value for _, value in observed.partials]
    assert {call for call, _ in observed.partials} == {1}
    assert all(extends(one, other) and one != other for one, other in pairwise(values))
    assert all(extends(value, ORDER) for value in values)
    assert all(value.get("kind", ORDER["kind"]) == ORDER["kind"] for value in values)
    if play.streams:
        assert any(0 < len(value.get("note", "")) < len(ORDER["note"]) for value in values)
        assert any(len(value.get("lines", ())) == 1 for value in values)
    else:
        assert values == [ORDER]
    assert observed.shape == ["content@0", "event:structured_synthesis_start@1", "partial@1"]
    assert observed.result.parsed == Order(**ORDER)


@proves(PARTIAL_OBJECTS, SYNTHESIS_NEVER_STREAMS)
def test_a_partial_object_is_no_content(play: Play) -> None:
    observed = play(
        PROSE, [Scripted.reasoning(SENTINEL), *pieces(ANSWER)], response_format=Ticket, config=PARTIALS
    )
    assert observed.content == observed.result.text == "".join(PROSE)
    assert [SENTINEL in message.content for message in observed.saved] == [False, False]
    if observed.carries_chunks:
        assert observed.reasoning == ""
        assert observed.partials[-1][1]["topic"] == SENTINEL
        assert all(SENTINEL not in repr(chunk) for chunk in observed.chunks if chunk.partial is None)


@proves(PARTIAL_OBJECTS)
def test_a_retry_begins_with_nothing(play: Play) -> None:
    second = '{"topic": "lamps", "urgent": false}'
    observed = play(PROSE, pieces(INVALID), pieces(second), response_format=Ticket, config=PARTIALS)
    assert observed.shape[2:] == ["partial@1", "partial@2"]
    of_second = [value for call, value in observed.partials if call == 2]
    assert all(extends(value, {"topic": "lamps", "urgent": False}) for value in of_second)
    assert SENTINEL not in repr(of_second)
    assert observed.result.content == second


@proves(PARTIAL_OBJECTS)
def test_a_synthesis_call_is_shown_for_whatever_reason_it_is_made(play: Play) -> None:
    answer = json.loads(ANSWER)
    again = replace(PARTIALS, reuse_loop_answer=False)
    observed = play(ANSWER, pieces(ANSWER), response_format=Ticket, config=again)
    assert extends(observed.partials[0][1], answer)
    assert [call for call, _ in observed.partials] == [1] * len(observed.partials)
    asked = skipping(False, partial_objects=True)
    observed = play(PROSE, pieces(ANSWER), response_format=Ticket, config=asked)
    assert extends(observed.partials[0][1], answer)
    skipped = play(PROSE, response_format=Ticket, config=skipping(True, partial_objects=True))
    assert skipped.partials == []


@proves(PARTIAL_OBJECTS)
def test_a_value_that_the_schema_does_not_take_is_not_shown(play: Play) -> None:
    text = '{"urgent": "perhaps", "topic": "lamps", "colour": "red"}'
    observed = play(PROSE, pieces(text), [ANSWER], response_format=Ticket, config=PARTIALS)
    of_first = [value for call, value in observed.partials if call == 1]
    assert of_first
    assert all(value.keys() == {"topic"} and "lamps".startswith(value["topic"]) for value in of_first)


@proves(PARTIAL_OBJECTS)
@pytest.mark.parametrize(
    ("config", "parts"),
    [
        (FINAL, {"response_format": Ticket}),
        (None, {"response_format": Ticket}),
        (StructuredOutputConfig(final_turn_only=True, single_pass=True), {"response_format": Ticket}),
        (PARTIALS, {}),
    ],
    ids=["not asked for", "default mode", "single_pass", "no response_format"],
)
def test_nothing_is_shown_of_an_object_where_nobody_asked(
    play: Play, config: StructuredOutputConfig | None, parts: dict[str, Any]
) -> None:
    observed = play(PROSE, pieces(ANSWER), pieces(ANSWER), config=config, **parts)
    assert observed.partials == []


@proves(PARTIAL_OBJECTS)
def test_nothing_is_shown_of_an_object_that_no_synthesis_call_makes(play: Play) -> None:
    observed = play(
        [LOOKUP, *pieces(ANSWER)], pieces(ANSWER), response_format=Ticket, config=PARTIALS, tools=[lookup]
    )
    assert observed.partials == []
    assert observed.events == ["structured_reuse"]


@proves(PARTIAL_OBJECTS)
def test_an_answer_in_a_fence_or_in_an_object_of_the_vendor_is_shown_as_the_value(play: Play) -> None:
    fenced = play(PROSE, pieces(f"```json\n{ANSWER}\n```"), response_format=Ticket, config=PARTIALS)
    assert fenced.partials[-1][1] == json.loads(ANSWER)
    names = TypeAdapter(list[str])
    wrapped = play(
        PROSE,
        pieces('{"answer": ["ada", "ben"]}'),
        response_format=names,
        config=PARTIALS,
        capabilities=NATIVE,
    )
    assert wrapped.result.parsed == ["ada", "ben"]
    values = [value for _, value in wrapped.partials]
    assert values[-1] == ["ada", "ben"]
    assert all(extends(value, ["ada", "ben"]) for value in values)


@proves(PARTIAL_OBJECTS)
def test_the_end_takes_the_place_of_the_last_one(play: Play) -> None:
    """Whatever the end is: formats that keep the object in one place leave none there that is not whole."""
    observed = play(PROSE, *[pieces(INVALID)] * 3, response_format=Ticket, config=PARTIALS)
    assert observed.partials
    assert observed.result.parsed is None
    failed = play(PROSE, [*pieces(INVALID), ConnectionError("gone")], response_format=Ticket, config=PARTIALS)
    assert failed.error is not None
