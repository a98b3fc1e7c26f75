"""Clients, one for each event loop."""

from __future__ import annotations

import gc
import weakref
from typing import Any, Literal

import anyio
import httpx
import httpx2
import pytest

from finalturn._providers.http.client import Clients, HttpClient, timeouts


@pytest.mark.anyio
class TestClients:
    async def test_a_loop_has_one(self) -> None:
        clients = Clients()
        first = await clients.get()
        assert await clients.get() is first
        await clients.aclose()

    async def test_when_they_are_closed_there_is_a_new_one(self) -> None:
        clients = Clients()
        first: Any = await clients.get()
        await clients.aclose()
        assert first.is_closed
        await clients.aclose()
        second: Any = await clients.get()
        assert second is not first
        await second.aclose()
        assert await clients.get() is not second
        await clients.aclose()

    async def test_the_given_one_is_used_and_never_closed(self) -> None:
        async with httpx2.AsyncClient(verify=False) as given:
            clients = Clients(given)
            assert await clients.get() is given
            await clients.aclose()
            assert not given.is_closed


@pytest.mark.parametrize("first", ["asyncio", "trio"])
@pytest.mark.parametrize("second", ["asyncio", "trio"])
def test_each_loop_has_its_own_which_ends_with_it(
    first: Literal["asyncio", "trio"], second: Literal["asyncio", "trio"]
) -> None:
    clients = Clients()
    one: Any = anyio.run(clients.get, backend=first)
    assert one.is_closed
    two: Any = anyio.run(clients.get, backend=second)
    assert two is not one
    assert two.is_closed


def test_closing_on_one_loop_closes_those_of_the_others() -> None:
    clients = Clients()
    with anyio.from_thread.start_blocking_portal("asyncio") as portal:
        other: Any = portal.call(clients.get)

        async def main() -> None:
            own: Any = await clients.get()
            assert own is not other
            assert not other.is_closed
            await clients.aclose()
            assert own.is_closed

        anyio.run(main)

        async def closed() -> None:
            with anyio.fail_after(20):
                while not other.is_closed:
                    await anyio.lowlevel.checkpoint()

        portal.call(closed)


def test_one_that_nobody_uses_any_more_is_closed() -> None:
    async def main() -> None:
        clients = Clients()
        client: Any = await clients.get()
        gone = weakref.ref(clients)
        del clients
        gc.collect()
        assert gone() is None
        with anyio.fail_after(20):
            while not client.is_closed:
                await anyio.lowlevel.checkpoint()

    anyio.run(main)


@pytest.mark.parametrize("library", [httpx, httpx2])
class TestTimeouts:
    def test_a_client_s_default_is_too_short_for_a_model(self, library: Any) -> None:
        client: HttpClient = library.AsyncClient()
        assert timeouts(client, None, None) == (10.0, 600.0, 600.0, 600.0)

    def test_what_it_was_given_counts(self, library: Any) -> None:
        client: HttpClient = library.AsyncClient(
            timeout=library.Timeout(None, connect=1.0, read=30.0, pool=2.0)
        )
        assert timeouts(client, None, None) == (1.0, 30.0, None, 2.0)

    def test_what_the_provider_was_given_counts_more(self, library: Any) -> None:
        client: HttpClient = library.AsyncClient(timeout=7.0)
        assert timeouts(client, 1.0, 2.0) == (1.0, 2.0, 7.0, 7.0)
