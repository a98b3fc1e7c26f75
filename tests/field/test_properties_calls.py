"""Properties of tool calls: however their pieces come, no half call runs, and no two are glued."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import anyio
from hypothesis import given
from hypothesis import strategies as st

from finalturn import Agent, AgentResult, Message, ProviderError
from finalturn._core.history import repaired
from tests.core._conversations import problems
from tests.field._fed import cut, fed
from tests.field._tools import Ran, recording
from tests.field._wire import DONE, STOP, TOOLS, oa, piece, prose, sse

Intended = list[tuple[str, dict[str, Any]]]


@st.composite
def pieces_of_calls(draw: st.DrawFn) -> tuple[Intended, list[bytes]]:
    """Calls, each with arguments of its own, and the records that they come in."""
    number = draw(st.integers(1, 3))
    calls: Intended = [
        (draw(st.sampled_from("fg")), {f"k{n}": f"v{n}", f"n{n}": [n, {}]}) for n in range(number)
    ]
    marked = draw(st.sampled_from(["index", "id", "both", "neither", "index 0"]))
    queues: list[list[dict[str, Any]]] = []
    for place, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        # A name alone, behind a whole call of that name, may as well be a repetition of it.
        least = 1 if marked == "neither" else 0
        cuts = sorted(draw(st.lists(st.integers(least, len(text)), max_size=3)))
        parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        queue: list[dict[str, Any]] = []
        for at, part in enumerate(parts):
            always_id = marked in ("id", "both") or (marked == "index 0" and at == 0)
            call_id = f"c{place}" if always_id else draw(st.sampled_from([None, ""]))
            index = {"index": place, "both": place, "index 0": 0}.get(marked)
            queue.append(piece(index, call_id, name if at == 0 else draw(st.sampled_from([None, ""])), part))
        queues.append(queue)
    if marked in ("neither", "index 0"):
        # Nothing could tell mixed pieces apart then.
        queues = [[entry for queue in queues for entry in queue]]
    mixed: list[dict[str, Any]] = []
    while any(queues):
        mixed.append(draw(st.sampled_from([queue for queue in queues if queue])).pop(0))
    if draw(st.booleans()):
        return calls, [oa({"tool_calls": [entry]}) for entry in mixed]
    return calls, [oa({"tool_calls": mixed})]


def run_calls(body: bytes, places: list[int]) -> tuple[Ran, Any]:
    """What runs when this is what a model asks for, cut at these places."""
    ran, tools = recording("f", "g")

    async def main() -> Any:
        return await Agent(fed(cut(body, places), [prose("Done.")]), tools=tools).arun("go")

    try:
        return ran, anyio.run(main)
    except ProviderError as error:
        return ran, error


def as_text(calls: Intended) -> list[str]:
    return sorted(json.dumps(call) for call in calls)


@given(pieces_of_calls(), st.sampled_from([TOOLS, STOP, DONE]), st.lists(st.integers(0, 2000), max_size=3))
def test_the_calls_that_were_sent_run_and_no_others(
    sent: tuple[Intended, list[bytes]], end: bytes, places: list[int]
) -> None:
    calls, records = sent
    ran, result = run_calls(b"".join(records) + end, places)
    assert as_text(ran) == as_text(calls)
    ids = [call.id for call in result.tool_calls]
    assert all(ids) and len(set(ids)) == len(ids) == len(calls)


@given(
    pieces_of_calls(),
    st.integers(0, 12),
    st.sampled_from([oa({}, "length") + DONE, b"", sse({"error": "x"}), b"data: {"]),
)
def test_of_calls_that_broke_off_only_whole_ones_run(
    sent: tuple[Intended, list[bytes]], stop: int, end: bytes
) -> None:
    calls, records = sent
    ran, result = run_calls(b"".join(records[:stop]) + end, [])
    assert not Counter(as_text(ran)) - Counter(as_text(calls))
    if b"length" not in end:
        assert isinstance(result, ProviderError) and ran == []


NOISE = st.lists(
    st.builds(
        piece,
        st.sampled_from([None, 0, 0, 1, 2]),
        st.sampled_from([None, "", "c0", "c1"]),
        st.sampled_from([None, "", "f", "g"]),
        st.sampled_from([None, "", "{", "}", '{"k0":', '{"k1":', '"v"}', '{"k0":"v"}', "{}", "[", "1"]),
    ),
    max_size=8,
)


@given(NOISE, st.sampled_from([TOOLS, STOP, oa({}, "length") + DONE]))
def test_whatever_pieces_come_what_runs_is_one_whole_object(
    entries: list[dict[str, Any]], end: bytes
) -> None:
    ran, result = run_calls(b"".join(oa({"tool_calls": [entry]}) for entry in entries) + end, [])
    assert all(len(arguments) <= 1 for _, arguments in ran)
    assert len(ran) <= len(entries)
    if not isinstance(result, ProviderError):
        found: AgentResult[None] = result
        sound = [call for call in found.tool_calls if call.error is None and call.name in ("f", "g")]
        assert len(ran) == len(sound)
        assert problems(repaired([*found.messages, Message.user("next")])) == []
