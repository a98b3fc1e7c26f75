"""One model call: a provider's events in, the machine's inputs out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import (
    Message,
    ModelEnd,
    ModelResponse,
    ProviderError,
    ProviderSwitch,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from finalturn._adapters.events import WholeReply
from finalturn._agent.model_call import ModelCall
from finalturn._core.turn import Finished

pytestmark = pytest.mark.anyio

CALL = ToolCallDelta(0, "c1", "look", "{}")
SPENT = Usage(input_tokens=5)
SWITCHES = (ProviderSwitch(0, "a", "b", "down", 503, None),)


async def events(*given: Any) -> AsyncIterator[Any]:
    for event in given:
        yield event


async def inputs(*given: Any, text_tools: list[str] | None = None) -> list[Any]:
    """Every input of a call."""
    call = ModelCall(events(*given), text_tools)
    found: list[Any] = []
    while not found or type(found[-1]) is not Finished:
        found.append(await call.next())
    await call.aclose()
    return found


async def response(*given: Any, text_tools: list[str] | None = None) -> ModelResponse:
    last: Finished = (await inputs(*given, text_tools=text_tools))[-1]
    return last.response


@pytest.mark.parametrize("text_tools", [None, ["look"]])
async def test_a_refusal_takes_back_every_call(text_tools: list[str] | None) -> None:
    called = TextDelta('<tool_call>{"name": "look", "arguments": {}}</tool_call>') if text_tools else CALL
    refused = await response(called, ModelEnd("refusal"), text_tools=text_tools)
    assert (refused.tool_calls, refused.finish_reason) == ((), "refusal")
    whole = ModelResponse("No.", tool_calls=(ToolCall("look", {}),), finish_reason="refusal")
    assert (await response(WholeReply(whole))).tool_calls == ()


class TestPieces:
    async def test_pass_in_order_and_stand_in_the_response(self) -> None:
        found = await inputs(
            ReasoningDelta("hm"), TextDelta("Hel"), TextDelta("lo"), ModelEnd("length", SPENT, SWITCHES)
        )
        assert found[:-1] == [ReasoningDelta("hm"), TextDelta("Hel"), TextDelta("lo")]
        assert found[-1] == Finished(ModelResponse("Hello", "hm", (), "length", SPENT, SWITCHES))

    async def test_may_be_of_a_class_that_is_derived(self) -> None:
        class Mine(TextDelta):
            pass

        assert (await response(Mine("a"), ModelEnd())).content == "a"

    async def test_that_are_empty_are_none(self) -> None:
        assert await inputs(TextDelta(""), ReasoningDelta(""), ModelEnd()) == [Finished(ModelResponse())]

    async def test_of_calls_are_put_together_at_the_end(self) -> None:
        found = await inputs(
            ToolCallDelta(0, "c1", "look", '{"a":'),
            TextDelta("x"),
            ToolCallDelta(0, arguments="1}"),
            ModelEnd(),
        )
        assert found[0] == TextDelta("x")
        assert found[1].response.tool_calls == (ToolCall("look", {"a": 1}, "c1"),)

    async def test_of_calls_that_the_token_limit_cut_are_broken_calls(self) -> None:
        found = await response(ToolCallDelta(0, "c1", "look", '{"a":'), ModelEnd("length"))
        assert found.tool_calls[0].error is not None
        assert found.tool_calls[0].arguments == {}

    async def test_halves_of_characters_are_joined_in_text_and_reasoning(self) -> None:
        for kind in (TextDelta, ReasoningDelta):
            assert (await inputs(kind("a\ud83d"), kind("\ude00b"), ModelEnd()))[:-1] == [
                kind("a"),
                kind("😀b"),
            ]

    async def test_halves_that_stay_alone_are_replaced(self) -> None:
        found = await inputs(ReasoningDelta("a\ud83d"), TextDelta("b\ud83d"), ModelEnd())
        assert found == [
            ReasoningDelta("a"),
            TextDelta("b"),
            ReasoningDelta("\ufffd"),
            TextDelta("\ufffd"),
            Finished(ModelResponse("b\ufffd", "a\ufffd")),
        ]

    @given(
        text=st.text(st.characters(codec=None, min_codepoint=0xD7F0, max_codepoint=0xE010)),
        cuts=st.lists(st.integers(0, 20), max_size=4),
    )
    async def test_where_text_is_cut_makes_no_difference(self, text: str, cuts: list[int]) -> None:
        places = sorted(cuts)
        pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
        whole = await response(TextDelta(text), ReasoningDelta(text), ModelEnd())
        parts = await response(*map(TextDelta, pieces), *map(ReasoningDelta, pieces), ModelEnd())
        assert (parts.content, parts.reasoning) == (whole.content, whole.reasoning)
        whole.content.encode()


class TestTextTools:
    block = '<tool_call>{"name": "look", "arguments": {"a": 1}}</tool_call>'

    async def test_their_text_is_no_text(self) -> None:
        found = await inputs(TextDelta("Hm. "), TextDelta(self.block), ModelEnd(), text_tools=["look"])
        assert found[0] == TextDelta("Hm. ")
        last = found[-1].response
        assert last.content.strip() == "Hm."
        assert last.tool_calls == (ToolCall("look", {"a": 1}),)

    async def test_text_that_is_held_to_the_end_is_passed_on(self) -> None:
        found = await inputs(TextDelta("a <tool"), ModelEnd(), text_tools=["look"])
        assert "".join(item.text for item in found[:-1]) == "a <tool" == found[-1].response.content

    async def test_elsewhere_it_is_text(self) -> None:
        assert (await response(TextDelta(self.block), ModelEnd())).content == self.block


class TestWholeReplies:
    async def test_give_the_same_inputs(self) -> None:
        calls = (ToolCall("look", {"a": 1}, "c1"),)
        reply = ModelResponse("Hello", "hm", calls, "tool_calls", SPENT, SWITCHES)
        assert await inputs(WholeReply(reply)) == [
            ReasoningDelta("hm"),
            TextDelta("Hello"),
            Finished(ModelResponse("Hello", "hm", calls, "tool_calls", SPENT, SWITCHES)),
        ]

    async def test_calls_get_ids_of_their_own(self) -> None:
        reply = ModelResponse(tool_calls=(ToolCall("f", id="c"), ToolCall("g", id="c"), ToolCall("h")))
        found = await response(WholeReply(reply))
        assert len({call.id for call in found.tool_calls}) == 3

    async def test_halves_of_characters_are_replaced(self) -> None:
        found = await response(WholeReply(ModelResponse("a\ud83d", "b\ud83d")))
        assert (found.content, found.reasoning) == ("a\ufffd", "b\ufffd")


class TestFaults:
    async def test_an_answer_that_breaks_off_is_retryable(self) -> None:
        call = ModelCall(events(TextDelta("half"), CALL), None)
        assert await call.next() == TextDelta("half")
        with pytest.raises(ProviderError, match="broke off") as caught:
            await call.next()
        assert caught.value.retryable
        assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True)

    async def test_what_the_provider_raises_is_raised_unchanged(self) -> None:
        error = LookupError("mine")

        async def fail() -> AsyncIterator[Any]:
            yield TextDelta("half")
            raise error

        call = ModelCall(fail(), None)
        await call.next()
        with pytest.raises(LookupError, match="mine") as caught:
            await call.next()
        assert caught.value is error

    async def test_nothing_is_read_after_the_end(self) -> None:
        read: list[str] = []

        async def give() -> AsyncIterator[Any]:
            try:
                yield ModelEnd()
                read.append("more")
                yield ModelEnd()
            finally:
                read.append("closed")

        call = ModelCall(give(), None)
        assert type(await call.next()) is Finished
        await call.aclose()
        assert read == ["closed"]

    async def test_events_need_not_be_closable(self) -> None:
        class Bare:
            def __aiter__(self) -> Bare:
                return self

            async def __anext__(self) -> Any:
                return ModelEnd()

        call = ModelCall(Bare(), None)
        assert type(await call.next()) is Finished
        await call.aclose()

    @pytest.mark.parametrize(
        ("event", "problem"),
        [
            (None, "yielded None; it must yield ModelEvents, the last a ModelEnd"),
            ("text", "yielded a str"),
            ({"choices": []}, "yielded a dict"),
            (Message.user("hi"), "yielded a Message"),
            (ToolCall("look"), "yielded a ToolCall"),
            (ModelResponse("whole"), "yielded a ModelResponse"),
            (SPENT, "yielded a Usage"),
            (TextDelta(None), "None as text"),  # type: ignore[arg-type]  # pyright: ignore
            (TextDelta(b"hi"), "a bytes as text"),  # type: ignore[arg-type]  # pyright: ignore
            (ReasoningDelta(None), "None as reasoning"),  # type: ignore[arg-type]  # pyright: ignore
            (ToolCallDelta(0, arguments=None), "as ToolCallDelta.arguments"),  # type: ignore[arg-type]  # pyright: ignore
            (ModelEnd("stop", {"input": 1}), "a dict as usage"),  # type: ignore[arg-type]  # pyright: ignore
            (ModelEnd("stop", None, None), "None as switches"),  # type: ignore[arg-type]  # pyright: ignore
            (WholeReply(ModelResponse(None)), "None as text"),  # type: ignore[arg-type]  # pyright: ignore
            (
                WholeReply(ModelResponse(tool_calls=None)),  # type: ignore[arg-type]  # pyright: ignore
                "as ModelResponse.tool_calls",
            ),
        ],
    )
    async def test_garbage_is_an_error_of_the_provider(self, event: Any, problem: str) -> None:
        call = ModelCall(events(TextDelta("fine"), event), None)
        assert await call.next() == TextDelta("fine")
        with pytest.raises(ProviderError, match=problem) as caught:
            await call.next()
        assert not caught.value.retryable
        await call.aclose()
