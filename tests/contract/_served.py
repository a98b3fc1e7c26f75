"""A server with two owners, and requests to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.types import ASGIApp

from finalturn import Message
from finalturn._serve.access.keys import new_key
from finalturn.serve import ApiKeys
from tests.contract._http_app import Exchange
from tests.contract._http_formats import PATHS, body_of
from tests.contract._play import Play
from tests.contract._reads import look_at_http

ALICE_KEY, _ALICE_LINE = new_key("alice")
BOB_KEY, _BOB_LINE = new_key("bob")
KEYS = ApiKeys([_ALICE_LINE.split(), _BOB_LINE.split()])


def bearer(key: str) -> dict[str, str]:
    """The header of a request with a key."""
    return {"Authorization": f"Bearer {key}"}


ALICE, BOB = bearer(ALICE_KEY), bearer(BOB_KEY)


class Client:
    """Sends requests to a server in memory, and looks at the answers.

    Args:
        play: its driver says in which format a turn is asked for.
        app: the server.
    """

    def __init__(self, play: Play, app: ASGIApp) -> None:
        self._play = play
        self._app = app

    async def send(
        self, method: str, target: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Exchange:
        """Send a request, and wait for the end of its answer."""
        exchange = Exchange()
        await exchange.send(self._app, method, target, body, headers)
        look_at_http(self._play)
        return exchange

    async def ask(
        self, text: str | Sequence[Message], headers: dict[str, str] | None = None, *, session: str = "s"
    ) -> Exchange:
        """Ask for a turn."""
        messages = [Message.user(text)] if isinstance(text, str) else text
        body = body_of(self._play.driver, messages, session)
        return await self.send("POST", PATHS[self._play.driver], body, headers)


def run(play: Play, app: ASGIApp, test: Callable[[Client], Awaitable[None]]) -> None:
    """Run the coroutine of a test."""

    async def main() -> None:
        await test(Client(play, app))

    asyncio.run(main())


def problem(exchange: Exchange) -> tuple[int, str]:
    """The status of an answer, and the code of its problem document; an answer that holds more is none."""
    assert exchange.headers["content-type"] == "application/problem+json", exchange.headers
    document = json.loads(exchange.body)
    assert document["status"] == exchange.status
    assert document.keys() <= {"type", "title", "status", "detail", "code", "retryable", "errors"}
    return exchange.status, document["code"]
