"""A provider's events, whatever kind of provider it is."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Iterator
from functools import partial
from typing import Any

import pytest

from finalturn import Message, ModelEnd, ModelEvent, ModelRequest, ModelResponse, ProviderError, TextDelta
from finalturn.agent._events import WholeReply, open_events
from tests.agent._parts import Counting, texts

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest([Message.user("hi")])
REPLY = ModelResponse("hello")


async def read(provider: Any) -> list[Any]:
    return [event async for event in open_events(provider, REQUEST)]


class Giving:
    """A provider whose ``stream`` gives what it was told to."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def stream(self, request: ModelRequest, /) -> Any:
        assert request is REQUEST
        return self.found


class Completing:
    """A provider that completes with whatever its function gives."""

    def __init__(self, complete: Any) -> None:
        self.complete = complete


class AsyncIterable:
    """Asynchronously iterable, and no iterator itself."""

    async def __aiter__(self) -> AsyncIterator[ModelEvent]:
        for event in texts("a"):
            yield event


class SyncIterable:
    def __iter__(self) -> Iterator[ModelEvent]:
        return iter(texts("a"))


class TestStreams:
    async def test_an_asynchronous_generator(self) -> None:
        assert await read(Counting(*texts("a", "b"))) == [TextDelta("a"), TextDelta("b"), ModelEnd()]

    @pytest.mark.parametrize("kind", [AsyncIterable, SyncIterable])
    async def test_an_iterable(self, kind: Any) -> None:
        assert await read(Giving(kind())) == [TextDelta("a"), ModelEnd()]

    async def test_a_list(self) -> None:
        assert await read(Giving([*texts("a")])) == [TextDelta("a"), ModelEnd()]

    async def test_a_generator_runs_in_threads(self) -> None:
        threads: set[int] = set()

        def give() -> Iterator[ModelEvent]:
            for event in texts("a", "b"):
                threads.add(threading.get_ident())
                yield event

        assert len(await read(Giving(give()))) == 3
        assert threads
        assert threading.get_ident() not in threads

    async def test_none_and_whatever_else_is_passed_on_to_be_refused(self) -> None:
        assert await read(Giving([None, 7])) == [None, 7]

    async def test_it_is_preferred_to_a_whole_reply(self) -> None:
        provider: Any = Counting(*texts("a"))
        provider.complete = None
        assert await read(provider) == [TextDelta("a"), ModelEnd()]

    @pytest.mark.parametrize(("found", "name"), [(None, "NoneType"), (7, "int"), (REPLY, "ModelResponse")])
    async def test_what_cannot_be_iterated_is_an_error(self, found: object, name: str) -> None:
        with pytest.raises(
            ProviderError, match=rf"Giving.stream\(\) returned a {name}; it must return an iter"
        ):
            open_events(Giving(found), REQUEST)

    async def test_a_coroutine_function_is_told_what_to_do(self) -> None:
        class Wrong:
            async def stream(self, request: ModelRequest, /) -> list[ModelEvent]:
                raise AssertionError("it is never begun, and nothing warns of that")

        wrong: Any = Wrong()
        with pytest.raises(ProviderError, match=r"returned a coroutine; .*: make it a generator function"):
            open_events(wrong, REQUEST)

    async def test_what_the_call_itself_raises_is_raised(self) -> None:
        class Failing:
            def stream(self, request: ModelRequest, /) -> Iterator[ModelEvent]:
                raise ProviderError("down", retryable=True)

        with pytest.raises(ProviderError, match="down"):
            open_events(Failing(), REQUEST)


class TestWholeReplies:
    async def test_of_a_coroutine_function(self) -> None:
        here = threading.get_ident()

        async def complete(request: ModelRequest) -> ModelResponse:
            assert threading.get_ident() == here
            return REPLY

        assert await read(Completing(complete)) == [WholeReply(REPLY)]

    async def test_of_a_function_come_from_a_thread(self) -> None:
        here = threading.get_ident()

        def complete(request: ModelRequest) -> ModelResponse:
            assert threading.get_ident() != here
            return REPLY

        assert await read(Completing(complete)) == [WholeReply(REPLY)]

    async def test_of_a_function_that_gives_an_awaitable_are_awaited(self) -> None:
        async def later(_: object) -> ModelResponse:
            return REPLY

        def complete(request: ModelRequest) -> Awaitable[ModelResponse]:
            return later(request)

        assert await read(Completing(complete)) == [WholeReply(REPLY)]
        assert await read(Completing(partial(later))) == [WholeReply(REPLY)]

    @pytest.mark.parametrize("found", [None, "hello", {"content": "hello"}])
    async def test_are_model_responses(self, found: object) -> None:
        with pytest.raises(
            ProviderError, match=rf"Completing.complete\(\) returned a {type(found).__name__}; it must return"
        ):
            await read(Completing(lambda request: found))  # pyright: ignore

    async def test_what_they_raise_is_raised(self) -> None:
        def complete(request: ModelRequest) -> ModelResponse:
            raise ProviderError("down")

        with pytest.raises(ProviderError, match="down"):
            await read(Completing(complete))
