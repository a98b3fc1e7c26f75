"""Asking a provider, whatever kind it is."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Iterator
from functools import partial
from typing import Any

import pytest

from finalturn import (
    ConfigurationError,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderError,
    TextDelta,
)
from finalturn._adapters.events import (
    CallEvent,
    CallSource,
    WholeReply,
    broken_off,
    close_events,
    complete,
    for_turn,
    open_events,
)
from finalturn._core.described import described
from finalturn.providers import Scripted
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

    @pytest.mark.parametrize(("found", "name"), [(None, "None"), (7, "an int"), (REPLY, "a ModelResponse")])
    async def test_what_cannot_be_iterated_is_an_error(self, found: object, name: str) -> None:
        with pytest.raises(
            ProviderError, match=rf"Giving.stream\(\) returned {name}; it must return an iter"
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


class Passing(CallSource):
    """Passes on a whole reply of another, and can stream as well."""

    async def events(self, request: ModelRequest, /) -> AsyncIterator[CallEvent]:
        yield WholeReply(REPLY)

    def stream(self, request: ModelRequest, /) -> Any:
        raise AssertionError("its own events come first")

    complete = stream


class Completing:
    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        return REPLY


@pytest.mark.parametrize("provider", [Passing(), Completing()], ids=["passed on", "its own"])
async def test_a_whole_reply_is_one_event(provider: Any) -> None:
    assert await read(provider) == [WholeReply(REPLY)]


async def test_closing_frees_what_a_stream_holds() -> None:
    counting = Counting(*texts("a", "b"))
    events = open_events(counting, REQUEST)
    await anext(events)
    await close_events(events)
    assert (counting.reads, counting.closed) == (1, 1)


async def test_what_cannot_be_closed_need_not_be() -> None:
    class Bare:
        def __aiter__(self) -> Bare:
            return self

        async def __anext__(self) -> ModelEvent:
            return ModelEnd()

    await close_events(open_events(Giving(Bare()), REQUEST))


def test_a_stream_that_broke_off_may_be_asked_for_again() -> None:
    assert broken_off().retryable
    assert "without a terminal marker" in str(broken_off())


class Answering:
    """A provider that completes with whatever its function gives."""

    def __init__(self, complete: Any) -> None:
        self.complete = complete


async def test_a_whole_reply_of_a_coroutine_function() -> None:
    here = threading.get_ident()

    async def answer(request: ModelRequest) -> ModelResponse:
        assert request is REQUEST
        assert threading.get_ident() == here
        return REPLY

    assert await complete(Answering(answer), REQUEST) is REPLY


async def test_a_whole_reply_of_a_function_it_comes_from_a_thread() -> None:
    here = threading.get_ident()

    def answer(request: ModelRequest) -> ModelResponse:
        assert request is REQUEST
        assert threading.get_ident() != here
        return REPLY

    assert await complete(Answering(answer), REQUEST) is REPLY


async def test_a_whole_reply_of_a_function_that_gives_an_awaitable_it_is_awaited() -> None:
    async def later(_: object) -> ModelResponse:
        return REPLY

    def answer(request: ModelRequest) -> Awaitable[ModelResponse]:
        return later(request)

    assert await complete(Answering(answer), REQUEST) is REPLY
    assert await complete(Answering(partial(later)), REQUEST) is REPLY


@pytest.mark.parametrize("found", [None, "hello", {"content": "hello"}])
async def test_a_whole_reply_is_a_model_response(found: object) -> None:
    with pytest.raises(
        ProviderError, match=rf"Answering.complete\(\) returned {described(found)}; it must return"
    ):
        await complete(Answering(lambda request: found), REQUEST)  # pyright: ignore


async def test_what_a_provider_of_whole_replies_raises_is_raised() -> None:
    error = ProviderError("down")

    def answer(request: ModelRequest) -> ModelResponse:
        raise error

    with pytest.raises(ProviderError, match="down") as caught:
        await complete(Answering(answer), REQUEST)
    assert caught.value is error


class Making:
    """A provider that makes another for each turn."""

    def __init__(self, found: Any) -> None:
        self.found = found
        self.made = 0

    def complete(self, request: Any, /) -> Any:
        raise AssertionError("it is not asked itself")

    def for_turn(self) -> Any:
        self.made += 1
        return self.found


def test_most_providers_answer_themselves() -> None:
    provider = Scripted()
    assert for_turn(provider) is provider


@pytest.mark.parametrize("found", [Scripted(), Scripted().whole_reply()], ids=["streaming", "whole"])
def test_one_that_says_who_answers_is_asked_once(found: Any) -> None:
    making = Making(found)
    assert for_turn(making) is found
    assert making.made == 1


@pytest.mark.parametrize("found", [None, "provider", 7])
def test_who_answers_is_a_provider(found: Any) -> None:
    with pytest.raises(
        ConfigurationError, match=rf"Making.for_turn\(\) returned {described(found)}; it must return an"
    ):
        for_turn(Making(found))
