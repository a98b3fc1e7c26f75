"""A `Fallback` as one turn sees it."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ModelResponse, Provider, ProviderError, StreamingProvider, TextDelta
from finalturn._adapters.events import WholeReply, open_events
from finalturn._adapters.whole import ask_whole
from finalturn._providers.fallback.members import Members
from finalturn._providers.fallback.provider import FallbackView
from finalturn.providers import Scripted
from tests.providers._fallback import REQUEST, SPENT, Named, Nobody, down, says

pytestmark = pytest.mark.anyio


def view(*providers: Any) -> FallbackView:
    return FallbackView(Members(providers))


def test_it_is_a_provider_of_both_kinds() -> None:
    assert isinstance(view(), Provider)
    assert isinstance(view(), StreamingProvider)


class TestStreams:
    async def test_a_whole_reply_comes_in_pieces(self) -> None:
        found = [event async for event in view(Scripted("Hello").whole_reply()).stream(REQUEST)]
        assert found == says("Hello")

    async def test_and_stays_whole_for_who_knows_it(self) -> None:
        found = [event async for event in open_events(view(Scripted("Hello").whole_reply()), REQUEST)]
        assert found == [WholeReply(ModelResponse("Hello"))]

    async def test_a_turn_stays_with_the_one_it_came_to(self) -> None:
        first, second = Named("a", down()), Named("b", "one", "two")
        turn = view(first, second, Nobody())
        one = [event async for event in turn.stream(REQUEST)]
        two = [event async for event in turn.stream(REQUEST)]
        assert len(one[-1].switches) == 1  # type: ignore[union-attr]  # pyright: ignore
        assert two == says("two")
        assert len(first.requests) == 1


class TestWholeReplies:
    async def test_are_asked_for_where_there_are_some(self) -> None:
        found = Scripted(ModelResponse("whole", usage=SPENT)).whole_reply()
        assert await view(found, Nobody()).complete(REQUEST) == ModelResponse("whole", usage=SPENT)
        assert (await ask_whole(view(Scripted("a")), REQUEST)).content == "a"

    async def test_an_answer_that_breaks_off_is_given_up_whole(self) -> None:
        """Nothing of it was shown to anybody."""
        first = Named("a", ["half", Scripted.CUT]).sync_stream()
        found = await view(first, Named("b", "Hello")).complete(REQUEST)
        assert found.content == "Hello"
        assert len(found.switches) == 1

    async def test_a_turn_stays_with_the_one_it_came_to(self) -> None:
        turn = view(Named("a", down()), Named("b", "one", "two"))
        assert len((await turn.complete(REQUEST)).switches) == 1
        assert await turn.complete(REQUEST) == ModelResponse("two")

    async def test_that_all_fail_are_one_error(self) -> None:
        last = down("gone", retryable=True)
        with pytest.raises(ProviderError, match="all 2 providers that were tried failed") as caught:
            await view(Named("a", down()), Named("b", last)).complete(REQUEST)
        assert caught.value.__cause__ is last
        assert caught.value.retryable

    async def test_that_a_single_one_fails_is_its_own_error(self) -> None:
        error = down()
        with pytest.raises(ProviderError) as caught:
            await view(Named("a", error)).complete(REQUEST)
        assert caught.value is error

    async def test_other_exceptions_are_raised(self) -> None:
        with pytest.raises(LookupError, match="mine"):
            await view(Scripted(LookupError("mine")), Nobody()).complete(REQUEST)


async def test_streams_and_whole_replies_share_the_place() -> None:
    turn = view(Named("a", down()), Named("b", "one", "two"))
    await turn.complete(REQUEST)
    assert TextDelta("two") in [event async for event in turn.stream(REQUEST)]
