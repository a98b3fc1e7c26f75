"""A client that lost its connection, and comes back."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable

import anyio
import pytest
from anyio import to_thread
from starlette.types import ASGIApp

from finalturn import Agent, Message, StructuredOutputConfig
from finalturn.contract import CLOSE_STOPS_WORK, RESUME_IS_EXACT
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig
from finalturn.sessions import InMemorySessions
from tests.contract._http_app import Exchange, app_of
from tests.contract._http_formats import FORMATS, Reader
from tests.contract._play import Play, agent_of
from tests.contract._proves import proves
from tests.contract._reads import look_at_http
from tests.contract._scenes import ANSWER, FINAL, LOOKUP, PARTIALS, PROSE, Ticket, lookup
from tests.contract._served import problem

ASK = Scripted.call("ask", {"task": "find it"})
CALLS = (["Look. ", LOOKUP, ASK], PROSE, Scripted.pieces(ANSWER, 9))
SECONDS = 60.0
"""Longer than any test; nothing waits for it."""


def served(model: object, config: StructuredOutputConfig = FINAL, **limits: int) -> ASGIApp:
    """A server that keeps runs."""
    agent = agent_of(
        model,  # type: ignore[arg-type]
        response_format=Ticket,
        config=config,
        tools=[lookup, Agent(Scripted(then=["Found ", "it."])).as_tool("ask", "Finds things.", show=True)],
        sessions=InMemorySessions(),
    )
    return app_of(agent, ServeConfig(resume_for=SECONDS, **limits))


def frames(body: bytes) -> list[bytes]:
    """Whole events."""
    *found, rest = body.split(b"\n\n")
    assert rest == b""
    return found


class Cut(Exchange):
    """A connection that breaks after some events.

    Args:
        after: so many are taken.
    """

    def __init__(self, after: int) -> None:
        def read(body: bytes) -> None:
            if self.body.count(b"\n\n") >= after:
                self.gone.set()

        super().__init__(read)
        self._after = after

    @property
    def taken(self) -> list[bytes]:
        """The events that have arrived; what else has been sent is lost."""
        return self.body.split(b"\n\n")[:-1][: self._after]


async def ask(play: Play, app: ASGIApp, exchange: Exchange) -> str:
    """Ask for a turn; the id of its run."""
    form = FORMATS[play.driver]
    await exchange.send(app, "POST", form.path, form.body([Message.user("Where is it?")], "s"))
    return exchange.headers["x-run-id"]


async def come_back(app: ASGIApp, run_id: str, last: int | None) -> Exchange:
    """Ask for the records after one."""
    exchange = Exchange()
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    await exchange.send(app, "GET", f"/v1/chat/stream/{run_id}?session=s", headers=headers)
    return exchange


def assert_whole(play: Play, events: list[bytes]) -> None:
    """They are a whole turn, each record once and in its place."""
    reader = Reader(FORMATS[play.driver])
    items = list(reader.feed(b"".join(event + b"\n\n" for event in events)))
    reader.ends()
    assert "".join(getattr(item, "text", "") for item in items) == "Look. " + "".join(PROSE)
    look_at_http(play)


@proves(RESUME_IS_EXACT, drivers=["http-stream"])
def test_whoever_comes_back_gets_the_rest_wherever_the_connection_broke(play: Play) -> None:
    with play.model(*CALLS) as model:
        app = served(model, PARTIALS)

        async def main() -> None:
            whole = Exchange()
            run_id = await ask(play, app, whole)
            events = frames(whole.body)
            assert_whole(play, events)
            assert any(b'"type":"partial"' in event for event in events)
            for number in range(len(events) + 1):
                rest = await come_back(app, run_id, number)
                assert frames(rest.body) == events[number:]
                assert rest.headers["x-run-id"] == run_id
            assert (await come_back(app, run_id, None)).body == whole.body
            assert problem(await come_back(app, run_id, len(events) + 1)) == (410, "records_gone")

        asyncio.run(main())


@proves(RESUME_IS_EXACT, drivers=["http-stream"])
def test_a_turn_waits_for_whoever_comes_back(play: Play) -> None:
    """The buffer is so small that the turn stands still without a client."""
    for after in range(1, 9):
        with play.model(*CALLS) as model:
            app = served(model, PARTIALS, buffer=600)

            async def main(app: ASGIApp = app, after: int = after) -> None:
                first = Cut(after)
                run_id = await ask(play, app, first)
                rest = await come_back(app, run_id, after)
                assert_whole(play, [*first.taken, *frames(rest.body)])

            asyncio.run(main())


LENGTHS = [1, 9, 10, 11, 30, 130]
"""How many pieces of text: numbers of one, two and three digits, and the steps between."""


def words(pieces: int) -> list[str]:
    """So many pieces, each of them another."""
    return [f"word {number}. " for number in range(pieces)]


def numbers(events: list[bytes]) -> list[int]:
    """The ids of events."""
    return [int(event.split(b"\n")[0].removeprefix(b"id: ")) for event in events]


def assert_says(play: Play, events: list[bytes], pieces: int) -> None:
    """They are a whole turn of so many pieces, each record once and in its place."""
    assert numbers(events) == list(range(1, pieces + 4))
    records = [json.loads(event.split(b"\ndata: ")[1]) for event in events]
    assert [one["type"] for one in records] == ["run", *["chunk"] * pieces, "event", "result"]
    assert [one["content"] for one in records[1:-2]] == words(pieces)
    look_at_http(play)


@proves(RESUME_IS_EXACT, drivers=["http-stream"], kinds=["streaming"])
@pytest.mark.parametrize("pieces", LENGTHS)
def test_a_run_of_any_length_is_resumed_at_every_record(play: Play, pieces: int) -> None:
    with play.model(words(pieces), [ANSWER]) as model:
        app = served(model)

        async def main() -> None:
            whole = Exchange()
            run_id = await ask(play, app, whole)
            events = frames(whole.body)
            assert_says(play, events, pieces)
            for last in range(len(events) + 1):
                assert frames((await come_back(app, run_id, last)).body) == events[last:]

        asyncio.run(main())


@proves(RESUME_IS_EXACT, drivers=["http-stream"], kinds=["streaming"])
@pytest.mark.parametrize("after", [*range(1, 33)])
def test_a_run_that_goes_on_is_resumed_at_every_record(play: Play, after: int) -> None:
    """The buffer is so small that the turn stands still without a client."""
    with play.model(words(30), [ANSWER]) as model:
        app = served(model, buffer=600)

        async def main() -> None:
            first = Cut(after)
            run_id = await ask(play, app, first)
            rest = await come_back(app, run_id, after)
            assert_says(play, [*first.taken, *frames(rest.body)], 30)

        asyncio.run(main())


@proves(RESUME_IS_EXACT, drivers=["http-stream"], kinds=["streaming"])
@pytest.mark.parametrize("each", [1, 2, 3, 10])
def test_a_connection_may_break_again_and_again(play: Play, each: int) -> None:
    with play.model(words(30), [ANSWER]) as model:
        app = served(model, buffer=600)

        async def main() -> None:
            part = Cut(each)
            run_id = await ask(play, app, part)
            events = part.taken
            while part.taken:
                part = Cut(each)
                headers = {"Last-Event-ID": str(len(events))}
                target = f"/v1/chat/stream/{run_id}?session=s"
                await part.send(app, "GET", target, headers=headers)
                events += part.taken
            assert_says(play, events, 30)

        asyncio.run(main())


@proves(RESUME_IS_EXACT, drivers=["http-stream"])
def test_records_that_are_not_kept_are_not_left_out_in_silence(play: Play) -> None:
    with play.model(*CALLS) as model:
        app = served(model, buffer=1)

        async def main() -> None:
            run_id = await ask(play, app, Exchange())
            assert problem(await come_back(app, run_id, 1)) == (410, "records_gone")
            assert problem(await come_back(app, run_id, None)) == (410, "records_gone")

        asyncio.run(main())
        look_at_http(play)


class Pause:
    """A point of an answer at which the model waits until it is told to go on."""

    def __init__(self, play: Play) -> None:
        self._begun = threading.Event()
        self._over = threading.Event()
        self.item: Callable[[], object] = self._block if play.waits_in_a_thread else self._wait

    def _block(self) -> None:
        self._begun.set()
        self._over.wait()

    async def _wait(self) -> None:
        self._begun.set()
        await to_thread.run_sync(self._over.wait, abandon_on_cancel=True)

    async def begins(self) -> None:
        """Wait until the model waits."""
        await to_thread.run_sync(self._begun.wait)

    def ends(self) -> None:
        """Let it go on."""
        self._over.set()


@proves(RESUME_IS_EXACT, drivers=["http-stream", "ai-sdk"])
def test_whoever_comes_back_sees_the_turn_go_on(play: Play) -> None:
    pause = Pause(play)
    with play.over_sockets.model(["Look. ", LOOKUP], [*PROSE, pause.item], [ANSWER]) as model:
        app = served(model)

        async def main() -> None:
            first, second = Cut(4), Exchange()
            run_id = await ask(play, app, first)
            await pause.begins()
            async with anyio.create_task_group() as group:
                if play.driver == "ai-sdk":
                    group.start_soon(second.send, app, "GET", "/ai-sdk/s/stream")
                else:
                    headers = {"Last-Event-ID": "4"}
                    target = f"/v1/chat/stream/{run_id}?session=s"
                    group.start_soon(second.send, app, "GET", target, None, headers)
                await anyio.wait_all_tasks_blocked()
                assert second.status == 200
                pause.ends()
            again = frames(second.body)
            assert_whole(play, again if play.driver == "ai-sdk" else [*first.taken, *again])
            assert first.taken == frames(second.body)[:4] or play.driver != "ai-sdk"

        asyncio.run(main())


@proves(RESUME_IS_EXACT, drivers=["ai-sdk"])
def test_of_a_chat_without_a_turn_there_is_nothing_to_resume(play: Play) -> None:
    with play.model(*CALLS, *CALLS) as model:
        app = served(model)

        async def main() -> None:
            for _ in range(2):
                exchange = Exchange()
                await exchange.send(app, "GET", "/ai-sdk/s/stream")
                assert (exchange.status, exchange.body) == (204, b"")
                await ask(play, app, Exchange())

        asyncio.run(main())
        look_at_http(play)


@proves(CLOSE_STOPS_WORK, drivers=["http-stream"])
def test_a_run_that_is_stopped_starts_no_tool(play: Play) -> None:
    pause = Pause(play)
    with play.over_sockets.model([pause.item, LOOKUP], then="never") as model:
        app = served(model)

        async def main() -> None:
            run = Exchange()
            async with anyio.create_task_group() as group:
                group.start_soon(ask, play, app, run)
                await pause.begins()
                stop = Exchange()
                target = f"/v1/chat/stream/{run.headers['x-run-id']}?session=s"
                await stop.send(app, "DELETE", target)
                assert stop.status == 204
            record = json.loads(frames(run.body)[-1].split(b"\ndata: ")[1])
            assert (record["type"], record["code"]) == ("error", "stopped")
            pause.ends()

        asyncio.run(main())
        assert len(model.requests) == 1
        look_at_http(play)
