"""Cases on closing, and on calls at the same time."""

from __future__ import annotations

from typing import Any

from finalturn._core.model import ModelEnd, TextDelta, ToolCallDelta
from finalturn._testing.conformance.answers import ScriptedAnswer, says
from finalturn._testing.conformance.bench import Answered, Bench, NotRunError, UnansweredError, close
from finalturn._testing.conformance.case import Case, expect, expect_equal
from finalturn._testing.conformance.scene import LOOKUP, Desk, arguments, plain

# More than any socket buffers: whoever reads the first piece leaves in the middle of the answer.
_LONG = (TextDelta("zq7xlong " * 7000),) * 400
_ENDLESS = ScriptedAnswer(
    (
        *_LONG,
        ToolCallDelta(0, "call_1", LOOKUP.name, arguments("A-1")),
        ModelEnd("tool_calls"),
    )
)

_OVER = object()

ONE = ("one zq7xfirst ", "one zq7xsecond ", "one zq7xthird")
TWO = ("two zq7xfirst ", "two zq7xsecond ", "two zq7xthird")


async def _closing_releases(bench: Bench) -> None:
    reading = bench.read(plain(LOOKUP))
    try:
        await anext(reading)
    except Exception as error:
        raise UnansweredError(f"the call raised {type(error).__name__}") from error
    finally:
        await close(reading)
    await _expect_released(bench)


async def _leaving_releases(bench: Bench) -> None:
    desk = Desk()
    tools = desk.tools() if bench.capabilities.native_tools else []
    try:
        async with bench.agent(tools=tools).astream("Where is my order?") as stream:
            await anext(stream)
    except Exception as error:
        raise UnansweredError(f"the turn raised {type(error).__name__}") from error
    expect_equal(desk.looked_up, [], "the tools that were run after the reader had left")
    await _expect_released(bench)


async def _expect_released(bench: Bench) -> None:
    from anyio import to_thread

    released = await to_thread.run_sync(bench.hooks.released)
    if released is None:
        raise NotRunError("released() is not overridden")
    expect(released, "the answer was closed in its middle, and what it held is not released")


async def _streams_are_apart(bench: Bench) -> None:
    first_stream, second_stream = bench.read(plain()), bench.read(plain())
    texts: dict[int, list[str]] = {0: [], 1: []}
    open_streams = {0: first_stream, 1: second_stream}
    try:
        while open_streams:
            for place, reading in list(open_streams.items()):
                event: Any = await anext(reading, _OVER)
                if event is _OVER:
                    del open_streams[place]
                elif isinstance(event, TextDelta):
                    texts[place].append(event.text)
    except Exception as error:
        raise UnansweredError(f"one of two calls raised {type(error).__name__}") from error
    finally:
        await close(first_stream)
        await close(second_stream)
    joined = ["".join(texts[0]), "".join(texts[1])]
    expect_equal(joined, ["".join(ONE), "".join(TWO)], "the texts of two calls at the same time")


async def _replies_are_apart(bench: Bench) -> None:
    from anyio import create_task_group

    answers: list[Answered] = []

    async def ask() -> None:
        answers.append(await bench.ask(plain()))

    async with create_task_group() as group:
        group.start_soon(ask)
        group.start_soon(ask)
    texts = sorted(answered.well().text for answered in answers)
    expect_equal(texts, ["".join(ONE), "".join(TWO)], "the texts of two calls at the same time")


_BOTH = (says(*ONE), says(*TWO))

LIFE_CASES = (
    Case("close-stops-work", "call-closed", (_ENDLESS,), _closing_releases, ways=("stream",)),
    Case("close-stops-work", "turn-left", (_ENDLESS,), _leaving_releases, ways=("stream",)),
    Case("runs-are-isolated", "streams", _BOTH, _streams_are_apart, ways=("stream",)),
    Case("runs-are-isolated", "replies", _BOTH, _replies_are_apart, ways=("complete",)),
)
