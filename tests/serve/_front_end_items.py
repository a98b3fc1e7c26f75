"""What turns show, generated: every sequence of items that a turn may have, and some that it may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from finalturn._core.chunks import StreamEvent
from finalturn._serve.formats.items import (
    Activity,
    Content,
    Ended,
    Event,
    Item,
    Partial,
    Reasoning,
    RunFailed,
    RunStarted,
    ToolCalled,
    ToolDone,
)
from finalturn._serve.problems.failure import OVERLOADED, STOPPED

RUN = "run-1_x"
REUSE = StreamEvent.STRUCTURED_REUSE
SYNTHESIS = StreamEvent.STRUCTURED_SYNTHESIS_START

TEXTS = st.sampled_from(["Hi", " ", "\n", "é😀", '{"a": 1}', "data: x\n\n", "\u2028", "[DONE]"])
OWN_IDS = st.sampled_from([None, "call_0", "call_0", "call_1", "x-tool-1"])
ARGUMENTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"order": "A1"}, {"n": 9007199254740993, "x": None, "l": [1.5, "é"]}]
)
FAILURES = st.sampled_from([None, None, "tool_error", "timeout", "arguments", "policy"])


def called(
    name: str = "lookup",
    arguments: Mapping[str, Any] | None = None,
    own_id: str | None = "call_0",
    error: str | None = None,
    call: int = 0,
) -> ToolCalled:
    given = {"name": name, "arguments": dict(arguments or {}), "id": own_id, "error": error}
    return ToolCalled(given, call)


def done(of: ToolCalled, text: str = "found", failure: str | None = None) -> ToolDone:
    message = {
        "role": "tool",
        "content": text,
        "tool_name": of.tool_call["name"],
        "tool_call_id": of.tool_call["id"],
        "tool_result": text if failure is None else None,
        "tool_failure": failure,
    }
    return ToolDone(message, of.call)


def ended(status: str | None = "ok", **changes: Any) -> Ended:
    ok = status == "ok"
    result: dict[str, Any] = {
        "run_id": RUN,
        "content": '{"a": null}' if ok else "prose",
        "text": "prose",
        "parsed": {"a": None} if ok else None,
        "parsed_error": None,
        "structured_status": status,
        "structured_error": "it is too long" if status == "validation_failed" else None,
        "stop_reason": "completed",
        "limit": None,
        "messages": [{"role": "user", "content": "hi"}],
        "tool_calls": [],
        "usage": {
            "input_tokens": 3,
            "cached_tokens": 1,
            "output_tokens": 2,
            "reasoning_tokens": 1,
            "total_tokens": 5,
            "unreported_calls": 0,
        },
        "model_calls": 1,
        "answer_call": 0 if ok else None,
    }
    return Ended(result | changes)


@st.composite
def shown(draw: st.DrawFn, call: int) -> list[Item]:
    """The text and reasoning of one model call."""
    kind: st.SearchStrategy[type[Content] | type[Reasoning]] = st.sampled_from([Content, Content, Reasoning])
    return [draw(kind)(draw(TEXTS), call) for _ in range(draw(st.integers(0, 4)))]


@st.composite
def batch(draw: st.DrawFn, call: int) -> list[Item]:
    """The tools of one model call."""
    calls: list[ToolCalled] = []
    for _ in range(draw(st.integers(1, 3))):
        error = draw(st.sampled_from([None, None, "the arguments were not valid"]))
        arguments = {} if error else draw(ARGUMENTS)
        calls.append(called(draw(st.sampled_from(["lookup", ""])), arguments, draw(OWN_IDS), error, call))
    # Ids that a response repeats are made different before a turn shows them.
    ids = [one.tool_call["id"] for one in calls if one.tool_call["id"] is not None]
    if len(ids) != len(set(ids)):
        calls = calls[:1]
    activity: list[Item] = []
    for index, one in enumerate(calls):
        name, own_id = one.tool_call["name"], one.tool_call["id"]
        pieces = draw(st.lists(inner(), max_size=4))
        activity += [Activity(name, own_id, index, piece, call) for piece in pieces]
    return [*calls, *activity, *(done(one, draw(TEXTS), draw(FAILURES)) for one in calls)]


@st.composite
def inner(draw: st.DrawFn, depth: int = 0) -> Item:
    """Something that an agent shows that runs as a tool."""
    call = draw(st.integers(0, 1))
    kind = draw(st.sampled_from(["text", "text", "thought", "call", "result", "event", "deeper"]))
    if kind == "deeper" and depth < 2:
        return Activity("ask", draw(OWN_IDS), draw(st.integers(0, 1)), draw(inner(depth + 1)), call)
    if kind == "call":
        return called(call=call)
    if kind == "result":
        return done(called(call=call), draw(TEXTS), draw(FAILURES))
    if kind == "event":
        return Event(SYNTHESIS, call)
    return (Reasoning if kind == "thought" else Content)(draw(TEXTS), call)


@st.composite
def turns(draw: st.DrawFn) -> list[Item]:
    """A turn."""
    items: list[Item] = [RunStarted(RUN, draw(st.sampled_from([None, "s1"])))]
    last = draw(st.integers(0, 3))
    for call in range(last + 1):
        items += draw(shown(call))
        if call < last and draw(st.booleans()):
            items += draw(batch(call))
    visible = any(isinstance(one, Content) and one.call == last for one in items)
    events: list[StreamEvent | None] = [None, SYNTHESIS, *([REUSE] if visible else [])]
    event = draw(st.sampled_from(events))
    if event is not None:
        items.append(Event(event, last + 1 if event is SYNTHESIS else last))
    if event is SYNTHESIS:
        items += draw(st.lists(st.builds(Partial, ARGUMENTS | TEXTS, st.just(last + 1)), max_size=3))
    statuses = ["ok"] if event is REUSE else ["ok", "validation_failed", "skipped", None]
    stops = ["completed", "iteration_limit", "terminal_tool", "truncated", "refused", "limit_reached"]
    end = draw(
        st.one_of(
            st.builds(ended, st.sampled_from(statuses), stop_reason=st.sampled_from(stops)),
            st.sampled_from([RunFailed(STOPPED), RunFailed(OVERLOADED)]),
        )
    )
    if isinstance(end, RunFailed):
        items = items[: draw(st.integers(1, len(items)))]
    return [*items, end]
