"""Properties of every turn: cuts change nothing, surfaces agree, and the answer does not leak."""

from __future__ import annotations

import json
import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from finalturn import Agent, AgentResult, ProviderError, StreamChunk
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._scenes import ANSWER, FINAL, HOLD, INVALID, NO_REUSE, SENTINEL, Ticket, fail, lookup
from tests.field._fed import cut, fed
from tests.field._scripts import ANSWERS, BREAKS, LOOP, MODES, TEXT, broken_off, parts_of, turns
from tests.field._wire import DONE, STOP, TOOLS, oa, prose, say, sse, tc

# 1. Where the network cuts a body changes nothing.

USAGE = sse({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}})
STREAMS: dict[str, list[bytes]] = {
    "prose with comments": [
        b": ping\n\n" + say("Hé", "😀\u2028") + b": ping\n\n" + oa({}, "stop") + USAGE + DONE
    ],
    "utf-8 as it is": ['data: {"choices":[{"delta":{"content":"é😀"}}]}\n\n'.encode() + STOP],
    "crlf, and a record of two lines": [
        b'data: {"choices":[{"delta":\r\ndata: {"content":"a"}}]}\r\n\r\n' + STOP.replace(b"\n", b"\r\n")
    ],
    "half characters": [say("a\ud83d", "\ude00b\ud83d") + STOP],
    "tools, then a held answer": [
        oa({"reasoning_content": "hm"})
        + say("Look. ")
        + tc(0, "a", "lookup", '{"ord')
        + tc(0, None, None, 'er":"A1"}')
        + tc(1, "b", "fail", '{"order":')
        + TOOLS,
        prose("Here:\n```js", f"on\n{ANSWER}", "\n```\nBye."),
        prose(*ANSWER),
    ],
    "an error half way": [say("par") + sse({"error": {"message": "overloaded"}})],
    "an end without a marker": [say("half") + tc(0, "a", "lookup", "{}")],
    "one document": [
        json.dumps({"choices": [{"message": {"content": "Hé"}, "finish_reason": "stop"}]}).encode()
    ],
}


def fed_turn(bodies: list[list[bytes]]) -> tuple[list[StreamChunk], Any]:
    """A turn on these bodies: all that was shown, and the result or what the error says."""

    async def main() -> tuple[list[StreamChunk], Any]:
        agent = Agent(
            fed(*bodies),
            tools=[lookup, fail],
            response_format=Ticket,
            structured_output=HOLD,
            max_iterations=2,
        )
        chunks: list[StreamChunk] = []
        try:
            async with agent.astream("go") as stream:
                async for item in stream:
                    if isinstance(item, AgentResult):
                        return chunks, item
                    chunks.append(item)
        except ProviderError as error:
            return chunks, (str(error), error.retryable, error.usage)
        raise AssertionError("neither a result nor an error")

    return anyio.run(main)


ENOUGH = [[prose(ANSWER)]] * 3


@pytest.mark.parametrize("name", STREAMS)
def test_a_body_fed_byte_by_byte_shows_the_same(name: str) -> None:
    whole = fed_turn([*([body] for body in STREAMS[name]), *ENOUGH])
    single = [[body[at : at + 1] for at in range(len(body))] for body in STREAMS[name]]
    assert fed_turn([*single, *ENOUGH]) == whole


@given(st.sampled_from(list(STREAMS)), st.lists(st.integers(0, 2000), max_size=5))
def test_a_body_fed_in_any_pieces_shows_the_same(name: str, places: list[int]) -> None:
    whole = fed_turn([*([body] for body in STREAMS[name]), *ENOUGH])
    assert fed_turn([*(cut(body, places) for body in STREAMS[name]), *ENOUGH]) == whole


# 2. Every surface and every kind of provider gives the same.

REFERENCE = Play("astream-asyncio", "streaming")
OTHERS = [
    Play("run", "streaming"),
    Play("stream", "sync-stream"),
    Play("arun-asyncio", "whole-reply"),
    Play("astream-trio", "sync-whole-reply"),
    Play("astream-asyncio", "http"),
]


def summary(observed: Observed) -> tuple[Any, ...]:
    """What every surface must agree on; ids of calls are the provider's."""
    if observed.error is not None:
        return type(observed.error), str(observed.error)
    one = observed.result
    assert one.text == observed.content
    messages = [(m.role, m.content, m.structured, m.tool_name, m.tool_result) for m in one.messages]
    outcome = one.structured_status, one.structured_error, one.stop_reason, one.model_calls, one.answer_call
    calls = [(call.name, call.arguments, call.error) for call in one.tool_calls]
    return one.parsed, one.content, one.text, one.usage, messages, outcome, calls


@given(turns(), st.sampled_from(list(MODES)))
@settings(max_examples=40)
def test_every_surface_and_kind_gives_the_same(calls: list[Any], mode: str) -> None:
    reference = REFERENCE(*calls, **parts_of(mode))
    for play in OTHERS:
        observed = play(*calls, **parts_of(mode))
        assert summary(observed) == summary(reference)
        if observed.error is None:
            assert observed.content == reference.content
        if observed.seen is not None:
            assert observed.shape == reference.shape


# 3. The answer is on the result and in its message, and nowhere else.


@contextmanager
def all_logs() -> Generator[list[str]]:
    """Everything that anybody logs."""
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(f"{record.getMessage()} {record.args} {record.exc_info}")

    root = logging.getLogger()
    handler, level = Keep(logging.DEBUG), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield records
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


ANSWERED = st.tuples(
    st.lists(LOOP, max_size=2),
    st.lists(TEXT, min_size=1, max_size=4).map(lambda pieces: ["Well", *pieces]),
    st.lists(ANSWERS, max_size=2),
    ANSWERS | st.tuples(ANSWERS, BREAKS).map(broken_off),
).map(lambda parts: [*parts[0], parts[1], *parts[2], parts[3], *[[ANSWER]] * 4])


@given(ANSWERED, st.sampled_from([FINAL, HOLD, NO_REUSE]), st.sampled_from([*OTHERS, REFERENCE]))
@example([["Hi."], [INVALID], [INVALID], [INVALID]], FINAL, REFERENCE)
@example([["Hi."], [INVALID], [ANSWER, Scripted.CUT]], FINAL, REFERENCE)
def test_the_answer_is_nowhere_but_where_it_belongs(calls: list[Any], config: Any, play: Play) -> None:
    sessions = InMemorySessions()
    with all_logs() as logs:
        observed = play(
            *calls,
            response_format=Ticket,
            config=config,
            tools=[lookup, fail],
            sessions=sessions,
            session="s",
        )
    saved = sessions.load("s").messages
    shown = [observed.pieces, observed.seen, logs, observed.error]
    assert SENTINEL not in repr(shown) + str(observed.error)
    if observed.error is not None:
        assert saved == () and SENTINEL not in repr(vars(observed.error))
        return
    result: Any = observed.result
    assert saved == result.messages
    assert SENTINEL not in result.text + str(result.structured_error)
    holders = [message for message in saved if SENTINEL in repr(message)]
    if result.structured_status == "ok" and result.parsed.topic == SENTINEL:
        assert SENTINEL in result.content
        assert holders == [result.message] and SENTINEL not in result.message.content
    else:
        assert holders == [] and SENTINEL not in repr(result)
