"""One answer, told in all the ways in which servers tell it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.providers._responses_wire import DONE, data, message, read, reasoning, whole


class Style(NamedTuple):
    """What a server sends of an item."""

    place: bool
    ids: bool
    begin: bool
    pieces: bool
    whole_arguments: bool
    end: bool
    output: bool


DELTAS = {
    "message": "response.output_text.delta",
    "reasoning": "response.reasoning_text.delta",
    "function_call": "response.function_call_arguments.delta",
}


def text_of(item: dict[str, Any]) -> str:
    if item["type"] == "function_call":
        return str(item["arguments"])
    return "".join(part["text"] for part in item["content"])


def empty(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "arguments": ""} if item["type"] == "function_call" else {**item, "content": []}


def told(items: list[dict[str, Any]], style: Style) -> bytes:
    body = b""
    for index, item in enumerate(items):
        place = {"output_index": index} if style.place else {}
        name = {"item_id": item["id"], **place} if style.ids else place
        if style.begin:
            body += data("response.output_item.added", item=empty(item), **place)
        if style.pieces:
            for piece in text_of(item):
                body += data(DELTAS[item["type"]], delta=piece, **name)
        if style.whole_arguments and item["type"] == "function_call":
            body += data("response.function_call_arguments.done", arguments=item["arguments"], **name)
        if style.end:
            body += data("response.output_item.done", item=item, **place)
    return body + data("response.completed", response=whole(*(items if style.output else []))) + DONE


def thought(text: str) -> dict[str, Any]:
    return reasoning(content=[{"type": "reasoning_text", "text": text}], encrypted_content="gA")


def asked(name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "name": name, "arguments": arguments}


TEXT = st.text("ab \n{}", max_size=4)
ITEMS = st.one_of(
    st.builds(message, TEXT),
    st.builds(message, TEXT, phase=st.sampled_from(["commentary", "final_answer"])),
    st.builds(thought, TEXT),
    st.builds(asked, st.sampled_from("fg"), st.sampled_from(["{}", '{"a":1}', '{"a":'])),
)


def numbered(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**item, "id": f"item_{place}", **({"call_id": f"call_{place}"} if "name" in item else {})}
        for place, item in enumerate(items)
    ]


ANSWERS = st.lists(ITEMS, max_size=4).map(numbered)


@given(ANSWERS, st.builds(Style, *[st.booleans()] * 7))
@example(
    numbered([message("a", phase="commentary"), message("a")]),
    Style(False, False, True, True, False, True, False),
)
def test_they_all_say_the_same(items: list[dict[str, Any]], style: Style) -> None:
    # Something must say what the items are and when one of them is another one.
    assume(style.begin or style.end)
    assume(style.pieces or style.end)
    assume(style.begin or style.place or style.ids or style.end)
    # Encrypted reasoning comes with the end of the item, and a phase must not come too late.
    assume(style.end or style.output)
    assume(style.begin or not style.pieces or not any("phase" in item for item in items))
    if not style.ids:
        items = [{key: value for key, value in item.items() if key != "id"} for item in items]
    expected, got = read(json.dumps(whole(*items)).encode()), read(told(items, style))
    assert got._replace(events=[]) == expected._replace(events=[])
