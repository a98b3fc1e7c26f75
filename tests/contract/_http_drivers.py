"""Drives turns over HTTP, in memory: a request to the served agent, and what its client gets."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

from anyio import to_thread
from starlette.requests import Request
from starlette.types import ASGIApp

from finalturn import Agent, AgentResult, Message, StreamChunk
from finalturn.serve import DepsForRequest
from tests.contract._http_app import AT_ONCE, DEFAULT, Exchange, app_of
from tests.contract._http_formats import FORMATS, WHOLE_PATH, Format, Reader, Record, body_of, whole_items
from tests.contract._http_view import HttpFailure, value_of
from tests.contract._leave import Leave, on_signal
from tests.contract._observed import Observed

Call: TypeAlias = dict[str, Any]
HttpDriver: TypeAlias = Callable[..., None]
HttpDrive: TypeAlias = Callable[
    [ASGIApp, Agent[Any, Any], Any, Call, Observed, Leave | None], Coroutine[Any, Any, None]
]


async def _stream(
    app: ASGIApp,
    agent: Agent[Any, Any],
    given: Any,
    call: Call,
    observed: Observed,
    leave: Leave | None,
    form: Format,
) -> None:
    observed.begins_chunks()
    reader = Reader(form)

    def read(body: bytes) -> None:
        if exchange.status != 200:
            return
        for item in reader.feed(body):
            tell(value_of(item, agent), observed)
            if leave is not None and leave.at(observed):
                exchange.gone.set()
                break

    exchange = Exchange(read)
    await _send(exchange, app, leave, form.path, form.body(_messages(given), call["session"]), call)
    observed.run_id = exchange.headers.get("x-run-id", "")
    observed.arrives(exchange.body)
    if exchange.status != 200:
        _tell_whole(exchange, agent, observed)
    elif not exchange.gone.is_set():
        reader.ends()


async def _whole(
    app: ASGIApp, agent: Agent[Any, Any], given: Any, call: Call, observed: Observed, leave: Leave | None
) -> None:
    exchange = Exchange()
    body = body_of("http-chat", _messages(given), call["session"])
    await _send(exchange, app, leave, WHOLE_PATH, body, call)
    observed.run_id = exchange.headers.get("x-run-id", "")
    observed.arrives(exchange.body)
    if not exchange.gone.is_set():
        _tell_whole(exchange, agent, observed)


def _messages(given: str | Sequence[Message]) -> Sequence[Message]:
    return [Message.user(given)] if isinstance(given, str) else given


async def _send(
    exchange: Exchange, app: ASGIApp, leave: Leave | None, path: str, body: Record, call: Call
) -> None:
    # By which the application knows whose turn it is; see `_deps_of`.
    headers = {"x-turn": call["session"]}
    if leave is None:
        await exchange.send(app, "POST", path, body, headers)
        return

    async def go() -> None:
        exchange.gone.set()

    async with on_signal(leave.when, go):
        await exchange.send(app, "POST", path, body, headers)
    await to_thread.run_sync(leave.then)


def _tell_whole(exchange: Exchange, agent: Agent[Any, Any], observed: Observed) -> None:
    for item in whole_items(json.loads(exchange.body)):
        tell(value_of(item, agent), observed)


def tell(value: StreamChunk | AgentResult[Any] | HttpFailure | None, observed: Observed) -> None:
    """Let it be observed."""
    match value:
        case None:
            pass
        case HttpFailure():
            observed.fails_once(value)
        case AgentResult() if not observed.carries_chunks:
            observed.ends_whole(value)
        case _:
            observed.takes(value)


def _drive_of(driver: str) -> HttpDrive:
    form = FORMATS.get(driver)
    return _whole if form is None else functools.partial(_stream, form=form)


def _deps_of(calls: Sequence[Call]) -> DepsForRequest[Any] | None:
    """Gives the deps of each of these turns, by the id of its session; ``None`` where they have none."""
    if "deps" not in calls[0]:
        return None
    deps = {call["session"]: call["deps"] for call in calls}

    async def give(request: Request, owner: str | None) -> Any:
        return deps[request.headers["x-turn"]]

    return give


def _over_http(driver: str) -> HttpDriver:
    drive = _drive_of(driver)

    def once(
        agent: Agent[Any, Any], given: Any, call: Call, observed: Observed, leave: Leave | None = None, /
    ) -> None:
        app = app_of(agent, DEFAULT if leave is None else AT_ONCE, deps=_deps_of([call]))
        asyncio.run(drive(app, agent, given, call, observed, leave))

    return once


HTTP_DRIVERS: dict[str, HttpDriver] = {
    "http-stream": _over_http("http-stream"),
    "http-chat": _over_http("http-chat"),
    "ag-ui": _over_http("ag-ui"),
    "ai-sdk": _over_http("ai-sdk"),
}
"""All of them; asyncio only, as the server is."""

HTTP_STREAM_DRIVERS = tuple(FORMATS)
"""Those that show a turn as it goes on."""


def together_over_http(driver: str, turns: Sequence[tuple[Agent[Any, Any], Any, Call, Observed]]) -> None:
    """Drive turns of one served agent at the same time."""

    async def main() -> None:
        app = app_of(turns[0][0], deps=_deps_of([call for _, _, call, _ in turns]))
        async with asyncio.TaskGroup() as group:
            for turn in turns:
                group.create_task(_run(app, *turn))

    async def _run(app: ASGIApp, agent: Agent[Any, Any], given: Any, call: Call, observed: Observed) -> None:
        await _drive_of(driver)(app, agent, given, call, observed, None)

    asyncio.run(main())
