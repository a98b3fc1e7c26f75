"""What each attempt of a call sends, and what is read of an answer's headers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.http import transport as _transport
from finalturn._providers.http.client import Clients
from finalturn._providers.http.transport import Call, Transport
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profiles import ANY_SERVER
from tests.providers._asking import ANSWER, EXPECTED
from tests.providers._server import Reply, document, serving

BUSY: Reply = document({"error": {"message": "busy with token-2"}}, 503, "X-Code: Busy")


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transport, "FIRST_DELAY", 0.0)


def to(url: str) -> Call:
    return Call(url, {"X-Same": "1"}, b"{}", None, lambda: WireDecoder(OpenAIChatAnswer(ANY_SERVER, None)))


def code_of(headers: Mapping[str, str]) -> str | None:
    return headers.get("x-code")


async def ask(call: Call, *, max_retries: int = 2) -> list[ModelEvent]:
    transport = Transport(Clients(), max_retries=max_retries, connect_timeout=None, read_timeout=None)
    try:
        return [event async for event in transport.events(call)]
    finally:
        await transport.clients.aclose()


@pytest.mark.anyio
class TestFresh:
    async def test_each_attempt_sends_its_own(self) -> None:
        made: list[Call] = []

        async def fresh() -> Call:
            token = f"token-{len(made) + 1}"
            made.append(call._replace(headers=call.headers | {"X-Token": token}, secret=token))
            return made[-1]

        async with serving(BUSY, BUSY, ANSWER) as server:
            call = to(server.url)._replace(fresh=fresh)
            assert await ask(call) == EXPECTED
        sent = [(request.headers["x-same"], request.headers["x-token"]) for request in server.requests]
        assert sent == [("1", "token-1"), ("1", "token-2"), ("1", "token-3")]

    async def test_its_secret_is_taken_out_of_an_error(self) -> None:
        async def fresh() -> Call:
            return call._replace(secret="token-2")

        async with serving(BUSY) as server:
            call = to(server.url)._replace(fresh=fresh)
            with pytest.raises(ProviderError) as caught:
                await ask(call, max_retries=0)
        assert caught.value.detail == "busy with [key]"

    @pytest.mark.parametrize("error", [ConfigurationError("no"), ZeroDivisionError("a fault")])
    async def test_where_there_is_none_nothing_is_asked(self, error: Exception) -> None:
        async def fresh() -> Call:
            raise error

        async with serving(ANSWER) as server:
            with pytest.raises(type(error)):
                await ask(to(server.url)._replace(fresh=fresh))
        assert server.connections == 0

    async def test_one_that_may_be_had_later_is_asked_for_again(self) -> None:
        made = 0

        async def fresh() -> Call:
            nonlocal made
            made += 1
            if made == 1:
                raise ProviderError("not yet", retryable=True)
            return call

        async with serving(ANSWER) as server:
            call = to(server.url)._replace(fresh=fresh)
            assert await ask(call) == EXPECTED
        assert made == 2


@pytest.mark.anyio
class TestCode:
    @pytest.mark.parametrize(
        ("error", "code"), [({"message": "x"}, "Busy"), ({"message": "x", "code": "own"}, "own")]
    )
    async def test_it_may_stand_in_a_header(self, error: dict[str, str], code: str) -> None:
        async with serving(document({"error": error}, 400, "X-Code: Busy")) as server:
            call = to(server.url)._replace(code=code_of)
            with pytest.raises(ProviderError) as caught:
                await ask(call)
        assert caught.value.code == code

    async def test_without_it_there_is_none(self) -> None:
        async with serving(document({"error": {"message": "x"}}, 400, "X-Code: Busy")) as server:
            with pytest.raises(ProviderError) as caught:
                await ask(to(server.url))
        assert caught.value.code is None
