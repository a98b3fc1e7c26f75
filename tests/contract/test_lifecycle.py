"""Stopping, isolation, usage, and what errors say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from finalturn import Agent, AgentResult, Message, ProviderError, StreamChunk, Usage, tool
from finalturn.contract import (
    CLOSE_STOPS_WORK,
    ERRORS_ARE_CLEAN,
    HISTORY_REPLAYABLE,
    RUNS_ARE_ISOLATED,
    USAGE_COMPLETE,
)
from finalturn.core.history import repaired
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._drivers import CHUNK_DRIVERS
from tests.contract._play import Play
from tests.contract._proves import proves
from tests.contract._scenes import ANSWER, FINAL, INVALID, LOOKUP, PROSE, SENTINEL, Ticket, lookup

SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)


@proves(USAGE_COMPLETE)
def test_usage_counts_every_call(play: Play) -> None:
    observed = play(
        [LOOKUP, SPENT],
        [*PROSE, SPENT],
        [INVALID, SPENT],
        [ANSWER, SPENT],
        response_format=Ticket,
        config=FINAL,
        tools=[lookup],
    )
    assert observed.result.usage == Usage(input_tokens=20, output_tokens=12, total_tokens=32)
    assert play(PROSE).result.usage == Usage(unreported_calls=1)


@proves(USAGE_COMPLETE)
def test_an_error_carries_what_had_been_used(play: Play) -> None:
    observed = play([LOOKUP, SPENT], [Scripted.CUT], tools=[lookup])
    assert isinstance(observed.error, ProviderError)
    assert observed.error.usage == SPENT + Usage(unreported_calls=1)


@proves(USAGE_COMPLETE, kinds=["http"])
def test_an_error_carries_what_the_failed_call_itself_had_used(play: Play) -> None:
    usage = b'"usage":{"prompt_tokens":4,"total_tokens":4}'
    said = b'data: {"choices":[{"index":0,"delta":{"content":"h"}}],' + usage + b"}\n\n"
    failed = b'data: {"error":{"message":"overloaded"}}\n\n'
    observed = play([LOOKUP, SPENT], [said, failed], tools=[lookup])
    assert isinstance(observed.error, ProviderError)
    assert observed.error.usage == SPENT + Usage(input_tokens=4, total_tokens=4)


@proves(CLOSE_STOPS_WORK, drivers=CHUNK_DRIVERS, kinds=["streaming", "sync-stream"])
def test_leaving_early_stops_the_model_and_starts_no_tool(play: Play) -> None:
    ran: list[str] = []

    @tool
    def act() -> str:
        """Acts."""
        ran.append("act")
        return "done"

    script = Scripted(["one ", "two ", Scripted.call("act")], then="never")
    provider = script if play.kind == "streaming" else script.sync_stream()
    sessions = InMemorySessions()
    agent = Agent(provider, tools=[act], sessions=sessions)
    _read(play.driver, agent, until=lambda item: bool(item.content))
    assert (script.abandoned, script.open, len(script.requests)) == (1, 0, 1)
    assert ran == []
    assert sessions.load("s").messages == ()


@proves(CLOSE_STOPS_WORK, drivers=CHUNK_DRIVERS, kinds=["streaming"])
def test_leaving_at_a_tool_call_starts_no_tool(play: Play) -> None:
    ran: list[str] = []

    @tool
    def act() -> str:
        """Acts."""
        ran.append("act")
        return "done"

    script = Scripted([Scripted.call("act")], then="never")
    agent = Agent(script, tools=[act], sessions=InMemorySessions())
    _read(play.driver, agent, until=lambda item: bool(item.tool_calls))
    assert ran == []
    assert len(script.requests) == 1


def _read(driver: str, agent: Agent[Any], until: Callable[[StreamChunk], bool]) -> None:
    """Read a turn until something was shown, and leave it."""
    if driver == "stream":
        with agent.stream("go", session="s") as items:
            for item in items:
                assert not isinstance(item, AgentResult)
                if until(item):
                    break
        return

    async def main() -> None:
        async with agent.astream("go", session="s") as items:
            async for item in items:
                assert not isinstance(item, AgentResult)
                if until(item):
                    break

    anyio.run(main, backend=driver.removeprefix("astream-"))


@proves(RUNS_ARE_ISOLATED, drivers=["astream-asyncio", "astream-trio"], kinds=["streaming"])
def test_turns_at_the_same_time_share_nothing(play: Play) -> None:
    """Each of ten turns waits, half way, until all are there."""

    async def main() -> None:
        arrived = 0
        everyone = anyio.Event()

        async def wait() -> None:
            nonlocal arrived
            arrived += 1
            if arrived == 10:
                everyone.set()
            await everyone.wait()

        def answer(request: Any) -> list[Any]:
            word = request.messages[0].content
            if request.call == 0:
                return [f"I am {word}. ", wait, Scripted.call("lookup", {"order": word})]
            return [f'{{"topic": "{word}", "urgent": false}}']

        agent = Agent(Scripted(then=answer), tools=[lookup], structured_output=FINAL, response_format=Ticket)
        results: dict[str, AgentResult[Ticket]] = {}

        async def turn(word: str) -> None:
            results[word] = await agent.arun(word)

        async with anyio.create_task_group() as group:
            for index in range(10):
                group.start_soon(turn, f"user{index}")
        for word, result in results.items():
            assert result.parsed == Ticket(topic=word, urgent=False)
            assert result.messages[0] == Message.user(word)
            assert f"order {word} is on its way" in [m.tool_result for m in result.messages]
            others = {other for other in results if other != word}
            assert not any(other in repr(result) for other in others)

    anyio.run(main, backend=play.driver.removeprefix("astream-"))


@proves(ERRORS_ARE_CLEAN)
def test_no_error_or_log_holds_what_a_model_wrote(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    cut = play([SENTINEL, Scripted.CUT])
    assert isinstance(cut.error, ProviderError)
    failed = play(
        PROSE, INVALID, INVALID, f'{{"{SENTINEL}": 1}}', response_format=Ticket, config=FINAL
    ).result
    with pytest.raises(Exception, match="validation_failed") as caught:
        failed.unwrap()
    error = caught.value
    assert (error.__cause__, error.__context__) == (None, None)
    for text in (
        str(cut.error),
        repr(cut.error),
        str(error),
        repr(error),
        failed.structured_error,
        caplog.text,
    ):
        assert SENTINEL not in str(text)


@proves(HISTORY_REPLAYABLE, drivers=["astream-asyncio"], kinds=["streaming"])
def test_history_is_accepted_wherever_a_turn_was_left(play: Play) -> None:
    """The turn is left after each number of items; a failed or left turn leaves no half of itself."""
    for stop in range(20):
        sessions = InMemorySessions()
        script = Scripted(["Look. ", LOOKUP, Scripted.call("", "{")], PROSE, ANSWER)
        agent = Agent(
            script, tools=[lookup], structured_output=FINAL, response_format=Ticket, sessions=sessions
        )

        async def main(stop: int = stop, agent: Agent[Ticket] = agent) -> None:
            async with agent.astream("go", session="s") as items:
                for _ in range(stop):
                    try:
                        await items.__anext__()
                    except StopAsyncIteration:
                        return

        anyio.run(main)
        saved = sessions.load("s").messages
        assert len(saved) in (0, 5)
        check_replayable(repaired([*saved, Message.user("next")]))


def check_replayable(messages: Any) -> None:
    """Every call is answered once, directly after it, and no name or message is empty."""
    due: list[str | None] = []
    for message in messages:
        if message.role == "tool":
            assert message.tool_name
            assert message.tool_call_id in due
            due.remove(message.tool_call_id)
        else:
            assert due == []
            due = [call.id for call in message.tool_calls]
            assert len(set(due)) == len(due)
            assert message.content.strip() or message.tool_calls or message.content_parts
    assert due == []
