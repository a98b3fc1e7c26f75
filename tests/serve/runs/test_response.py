from __future__ import annotations

import asyncio

import pytest
from anyio import wait_all_tasks_blocked
from starlette.types import Receive, Scope, Send

from finalturn._serve.formats.native import Native
from finalturn._serve.runs.response import RunResponse
from finalturn._serve.runs.run import Run
from finalturn._serve.runs.runs import Runs
from finalturn.serve import ServeConfig
from tests.serve._agents import Held, plain
from tests.serve._asgi import Client

pytestmark = pytest.mark.anyio


class Streaming:
    """An application that answers every request with one run."""

    def __init__(self, *items: object, **config: float) -> None:
        self.config = ServeConfig(**config)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        self.runs = Runs(self.config)
        self.agent = plain(*items)
        self.run: Run | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.run is None:
            self.run = self.runs.start(
                lambda run_id: self.agent.astream("Hello"),
                lambda run_id: Native(),
                owner=None,
                session=None,
                format="native",
            )
        after = int(scope["query_string"] or 0)
        await RunResponse(self.run, self.runs, self.config, after=after)(scope, receive, send)


async def test_headers_and_records() -> None:
    app = Streaming(["Hel", "lo"])
    answer = await Client(app).send("POST", "/")
    assert answer.status == 200
    assert answer.header("content-type") == "text/event-stream; charset=utf-8"
    assert answer.header("x-accel-buffering") == "no"
    assert answer.header("cache-control") == "no-cache, no-store, no-transform"
    assert app.run is not None and answer.header("x-run-id") == app.run.id
    assert answer.header("content-length") is None
    assert [record["type"] for record in answer.records] == ["run", "chunk", "chunk", "result"]
    assert len(app.runs) == 0


async def test_a_silent_model_is_not_taken_for_dead() -> None:
    held = Held()
    exchange = Client(Streaming(held.items, heartbeat=1e-6)).open("POST", "/")
    await exchange.until(b"\n\n: keep-alive\n\n")
    held.go_on.set()
    answer = await exchange.read()
    assert [record["type"] for record in answer.records] == ["run", "chunk", "chunk", "result"]


async def test_a_client_that_leaves_stops_the_turn_at_once() -> None:
    held = Held()
    app = Streaming(held.items)
    exchange = Client(app).open("POST", "/")
    await exchange.until(b"Wait")
    await exchange.leave()
    assert held.stopped.is_set() and len(app.runs) == 0


async def test_a_client_that_takes_nothing_is_gone() -> None:
    held = Held()
    app = Streaming(held.items, stall_timeout=0.01)
    exchange = Client(app).open("POST", "/")
    await exchange.until(b"Wait")
    exchange.pause()
    held.go_on.set()
    await exchange.read()
    assert [record["type"] for record in exchange.answer.records] == ["run", "chunk"]
    assert len(app.runs) == 0


async def test_a_slow_client_makes_the_turn_wait() -> None:
    taken: list[int] = []
    items: list[object] = []
    for number in range(20):
        items += ["x" * 100, lambda number=number: taken.append(number)]
    app = Streaming(items, buffer=500)
    exchange = Client(app).open("POST", "/")
    exchange.pause()
    await wait_all_tasks_blocked()
    assert len(taken) < 15
    exchange.resume()
    answer = await exchange.read()
    assert len(answer.records) == 22 and len(taken) == 20


async def test_coming_back() -> None:
    held = Held(" is", " over.")
    app = Streaming(held.items, resume_for=60)
    client = Client(app)
    exchange = client.open("POST", "/")
    await exchange.until(b"Wait")
    await exchange.leave()
    assert not held.stopped.is_set()
    held.go_on.set()
    answer = await client.send("GET", "/?2")
    assert [record.get("content") for record in answer.records[:-1]] == [" is", " over."]
    assert [record["type"] for record in answer.records] == ["chunk", "chunk", "result"]
    again = await client.send("GET", "/?5")
    assert again.records == []
    await app.runs.drain(1)


async def test_a_request_that_is_cancelled_more_than_once_leaves_nothing_behind() -> None:
    held = Held()
    app = Streaming(held.items)
    exchange = Client(app).open("POST", "/")
    await exchange.until(b"Wait")
    task = vars(exchange)["_task"]
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await asyncio.gather(*vars(app.runs)["_stopping"])
    assert held.stopped.is_set() and len(app.runs) == 0


async def test_a_result_that_is_larger_than_the_buffer_can_be_resumed() -> None:
    app = Streaming(["x" * 1000] * 3, resume_for=60, buffer=100)
    client = Client(app)
    whole = await client.send("POST", "/")
    again = await client.send("GET", "/?4")
    assert again.records == whole.records[-1:]
    await app.runs.drain(1)


async def test_two_connections_read_one_run() -> None:
    held = Held()
    app = Streaming(held.items, resume_for=60)
    older = Client(app).open("POST", "/")
    await older.until(b"Wait")
    newer = Client(app).open("GET", "/?1")
    await newer.until(b"Wait")
    held.go_on.set()
    assert [one["type"] for one in (await older.read()).records] == ["run", "chunk", "chunk", "result"]
    assert [one["type"] for one in (await newer.read()).records] == ["chunk", "chunk", "result"]
    await app.runs.drain(1)


async def test_a_connection_that_takes_nothing_holds_the_others_up_for_a_moment_only() -> None:
    held = Held(*["x" * 100] * 20)
    app = Streaming(held.items, resume_for=60, buffer=500, stall_timeout=0.05)
    older = Client(app).open("POST", "/")
    await older.until(b"Wait")
    newer = Client(app).open("GET", "/?0")
    await newer.until(b"Wait")
    older.pause()
    held.go_on.set()
    assert len((await newer.read()).records) == 23
    await older.read()
    assert len(older.answer.records) == 2
    await app.runs.drain(1)


async def test_the_run_is_left_with_its_last_connection() -> None:
    held = Held()
    app = Streaming(held.items, resume_for=1e-6)
    older = Client(app).open("POST", "/")
    await older.until(b"Wait")
    newer = Client(app).open("GET", "/")
    await newer.until(b"Wait")
    await older.leave()
    await wait_all_tasks_blocked()
    assert not held.stopped.is_set()
    await newer.leave()
    await held.stopped.wait()
