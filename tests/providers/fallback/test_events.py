"""The events of one model call, from the first provider that can answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from finalturn import (
    ModelEnd,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ProviderSwitch,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
)
from finalturn._adapters.events import WholeReply
from finalturn._core.assembly import ToolCallAssembler
from finalturn._providers.fallback.call import FallbackCall
from finalturn._providers.fallback.events import FallbackEvents
from finalturn._providers.fallback.members import Members
from finalturn.providers import Scripted
from tests.providers._fallback import KINDS, REQUEST, SPENT, UNREPORTED, Named, Nobody, down, says

pytestmark = pytest.mark.anyio

LOOK = ToolCallDelta(0, "c1", "look", '{"a": 1}')
# What the provider that failed and the one that answered report: nothing.
LOST = UNREPORTED + UNREPORTED
FROM_A = ProviderSwitch(2, "a", "b", "it is down", 503, "overloaded")
BROKEN = "the model's answer broke off: it ended without a terminal marker"


def opened(*providers: Any, split: bool = False) -> FallbackEvents:
    return FallbackEvents(FallbackCall(Members(providers), REQUEST), split=split)


async def read(*providers: Any, split: bool = False) -> list[Any]:
    return [event async for event in opened(*providers, split=split)]


class Giving:
    """A stream of whatever it is given."""

    def __init__(self, *events: Any) -> None:
        self.events = events
        self.closed = 0

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[Any]:
        try:
            for event in self.events:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            self.closed += 1

    def __repr__(self) -> str:
        return "a"


class TestTheFirst:
    async def test_that_answers_is_the_only_one(self) -> None:
        given = [ReasoningDelta("hm"), TextDelta("Hel"), TextDelta("lo"), LOOK, ModelEnd("stop", SPENT)]
        assert await read(Giving(*given), Nobody()) == given

    async def test_may_be_a_whole_reply(self) -> None:
        reply = ModelResponse("hi", usage=SPENT)
        (found,) = await read(Scripted(reply).whole_reply(), Nobody())
        assert found == WholeReply(reply)

    async def test_may_say_nothing(self) -> None:
        assert await read(Giving(ModelEnd()), Nobody()) == [ModelEnd()]

    async def test_is_not_read_after_its_end_and_is_closed(self) -> None:
        one = Giving(ModelEnd(), AssertionError("it is read"))
        assert await read(one) == [ModelEnd()]
        assert one.closed == 1

    async def test_is_asked_for_nothing_before_it_is_read(self) -> None:
        await opened(Nobody()).aclose()


class TestFailuresBeforeAnythingIsShown:
    @pytest.mark.parametrize(
        "before",
        [
            [],
            [TextDelta("")],
            [ReasoningDelta("")],
            [LOOK],
            [LOOK, TextDelta(""), ToolCallDelta(1, "c2", "look", "{}")],
        ],
        ids=["nothing", "empty text", "empty reasoning", "a call", "calls"],
    )
    async def test_go_to_the_next_and_nothing_of_the_first_is_given(self, before: list[Any]) -> None:
        first = Giving(*before, down())
        assert await read(first, Named("b", "Hello"), Nobody()) == says(
            "Hello", switches=(FROM_A,), usage=LOST
        )
        assert first.closed == 1

    async def test_an_end_without_a_marker_is_one(self) -> None:
        found = await read(Giving(LOOK), Named("b", "Hello"))
        assert found[:-1] == [TextDelta("Hello")]
        assert found[-1].switches == (ProviderSwitch(2, "a", "b", BROKEN, None, None),)

    @pytest.mark.parametrize("bad", [None, TextDelta(None), ModelEnd(usage=7)])  # type: ignore[arg-type]  # pyright: ignore
    async def test_what_is_no_event_is_one(self, bad: Any) -> None:
        found = await read(Giving(LOOK, bad), Named("b", "Hello"))
        assert found[0] == TextDelta("Hello")
        assert "the provider" in found[-1].switches[0].reason

    async def test_a_stream_that_cannot_be_iterated_is_one(self) -> None:
        class Wrong:
            def stream(self, request: ModelRequest, /) -> Any:
                return 7

        found = await read(Wrong(), Named("b", "Hello"))
        assert "Wrong.stream() returned an int" in found[-1].switches[0].reason

    async def test_a_call_of_the_method_that_raises_is_one(self) -> None:
        class Failing:
            def stream(self, request: ModelRequest, /) -> Any:
                raise down()

            def __repr__(self) -> str:
                return "a"

        assert await read(Failing(), Named("b", "Hello")) == says("Hello", switches=(FROM_A,), usage=LOST)

    @pytest.mark.parametrize("retryable", [True, False])
    async def test_it_does_not_matter_whether_a_retry_may_help(self, retryable: bool) -> None:
        found = await read(Named("a", down(retryable=retryable)), Named("b", "Hello"))
        assert found == says("Hello", switches=(FROM_A,), usage=LOST)

    async def test_the_next_may_fail_too(self) -> None:
        found = await read(Named("a", down()), Named("b", down()), Named("c", "Hello"))
        assert [switch.to_provider for switch in found[-1].switches] == ["b", "c"]

    @pytest.mark.parametrize("kind", KINDS)
    async def test_of_every_kind_go_to_every_kind(self, kind: str) -> None:
        of = KINDS[kind]
        found = await read(of(Scripted(down())), of(Scripted("Hello")), split=True)
        assert found[:-1] == [TextDelta("Hello")]
        assert len(found[-1].switches) == 1

    @pytest.mark.parametrize("error", [LookupError("mine"), KeyboardInterrupt("stop")])
    async def test_other_exceptions_are_raised(self, error: BaseException) -> None:
        first = Giving(error)
        with pytest.raises(type(error)) as caught:
            await read(first, Nobody())
        assert caught.value is error
        assert first.closed == 1


class TestCalls:
    async def test_are_given_with_the_first_piece_that_is_shown(self) -> None:
        more = ToolCallDelta(0, arguments="")
        given = [LOOK, more, TextDelta("a"), more, ModelEnd()]
        assert await read(Giving(*given)) == given

    async def test_are_given_when_the_answer_is_complete(self) -> None:
        assert await read(Giving(LOOK, ModelEnd("tool_calls"))) == [LOOK, ModelEnd("tool_calls")]


class TestFailuresAfterThat:
    @pytest.mark.parametrize("shown", [TextDelta("a"), ReasoningDelta("a"), TextDelta(" ")])
    async def test_are_raised_unchanged_by_the_first(self, shown: Any) -> None:
        error = down()
        first = Giving(shown, LOOK, error)
        events = opened(first, Nobody())
        assert [await anext(events), await anext(events)] == [shown, LOOK]
        with pytest.raises(ProviderError) as caught:
            await anext(events)
        assert caught.value is error
        assert first.closed == 1
        assert [event async for event in events] == []

    async def test_are_raised_when_there_is_no_end(self) -> None:
        events = opened(Giving(TextDelta("a")), Nobody())
        await anext(events)
        with pytest.raises(ProviderError, match=BROKEN):
            await anext(events)

    async def test_of_a_later_one_say_who_failed_before(self) -> None:
        error = down("broke")
        events = opened(Named("a", down()), Giving(TextDelta("a"), error), Nobody())
        await anext(events)
        with pytest.raises(ProviderError, match=r"^broke$") as caught:
            await anext(events)
        assert caught.value.__cause__ is error
        assert caught.value.switches == (
            ProviderSwitch(2, "a (1)", "a (2)", "it is down", 503, "overloaded"),
        )

    async def test_what_is_no_event_is_passed_on_to_be_refused(self) -> None:
        assert await read(Giving(TextDelta("a"), None, ModelEnd())) == [TextDelta("a"), None, ModelEnd()]


class TestFailuresOfAll:
    async def test_are_one_error(self) -> None:
        last = down("gone", retryable=True)
        with pytest.raises(ProviderError) as caught:
            await read(Named("a", down()), Named("b", last))
        assert str(caught.value) == "all 2 providers that were tried failed; the last: gone"
        assert caught.value.__cause__ is last
        assert caught.value.switches == (FROM_A,)

    async def test_of_a_single_one_is_its_own(self) -> None:
        error = down()
        with pytest.raises(ProviderError) as caught:
            await read(Named("a", error))
        assert caught.value is error

    async def test_end_the_events(self) -> None:
        events = opened(Named("a", down()), Named("b", down()))
        with pytest.raises(ProviderError):
            await anext(events)
        assert [event async for event in events] == []


class TestWholeReplies:
    reply = ModelResponse(
        "Hello",
        "hm",
        (ToolCall("look", {"a": 1}, "c"), ToolCall("look", {"a": 2}, "c", provider_data={"s": 1})),
        "tool_calls",
        SPENT,
    )

    async def test_stay_whole_and_say_who_failed_before(self) -> None:
        (found,) = await read(Named("a", down()), Named("b", ModelResponse("Hello")).whole_reply())
        assert found.response.content == "Hello"
        assert len(found.response.switches) == 1

    async def test_come_in_pieces_where_pieces_are_wanted(self) -> None:
        class Whole:
            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                return TestWholeReplies.reply

        found = await read(Whole(), split=True)
        assert found[:2] == [ReasoningDelta("hm"), TextDelta("Hello")]
        assert found[-1] == ModelEnd("tool_calls", SPENT)
        calls = ToolCallAssembler()
        for event in found[2:-1]:
            calls.add(event)
        first, second = calls.finish(cut=False)
        assert (first, second.arguments, second.provider_data) == (
            self.reply.tool_calls[0],
            {"a": 2},
            {"s": 1},
        )
        assert second.id != first.id

    async def test_a_call_that_cannot_run_cannot_run_in_pieces_either(self) -> None:
        class Whole:
            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                return ModelResponse(tool_calls=(ToolCall("look", {}, "c", "it is malformed"),))

        piece, _ = await read(Whole(), split=True)
        calls = ToolCallAssembler()
        calls.add(piece)
        assert calls.finish(cut=False)[0].error is not None

    async def test_that_hold_something_else_are_failures(self) -> None:
        class Wrong:
            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                return ModelResponse(tool_calls=None)  # type: ignore[arg-type]  # pyright: ignore

        found = await read(Wrong(), Named("b", "Hello"))
        assert "ModelResponse.tool_calls" in found[-1].switches[0].reason


class TestClosing:
    async def test_closes_the_one_that_answers(self) -> None:
        first, second = Giving(down()), Giving(*says("a", "b"))
        events = opened(first, second)
        assert await anext(events) == TextDelta("a")
        await events.aclose()
        await events.aclose()
        assert (first.closed, second.closed) == (1, 1)
        assert [event async for event in events] == []

    async def test_gives_up_what_was_held(self) -> None:
        events = opened(Giving(LOOK, TextDelta("a"), ModelEnd()))
        assert await anext(events) == LOOK
        await events.aclose()
        assert [event async for event in events] == []

    async def test_one_that_was_cancelled_can_still_be_closed(self) -> None:
        class Waiting:
            closed = False

            def stream(self, request: ModelRequest, /) -> Any:
                return self

            def __aiter__(self) -> Waiting:
                return self

            async def __anext__(self) -> Any:
                scope.cancel()
                await anyio.sleep_forever()

            async def aclose(self) -> None:
                await checkpoint()
                self.closed = True

        waiting = Waiting()
        events = opened(waiting, Nobody())
        with anyio.CancelScope() as scope:
            await anext(events)
        assert scope.cancelled_caught
        assert not waiting.closed
        await events.aclose()
        assert waiting.closed

    async def test_one_that_failed_and_cannot_be_closed_is_left_all_the_same(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Stuck:
            def __init__(self) -> None:
                self.events = iter([TextDelta("")])

            def stream(self, request: ModelRequest, /) -> Iterator[Any]:
                return self

            def __iter__(self) -> Stuck:
                return self

            def __next__(self) -> Any:
                return next(self.events)

            def close(self) -> None:
                raise OSError("/secret/path")

        caplog.set_level(logging.DEBUG, "finalturn.providers")
        found = await read(Stuck(), Named("b", "Hello"))
        assert found[0] == TextDelta("Hello")
        assert "could not be closed (OSError)" in caplog.text
        assert "/secret" not in caplog.text
