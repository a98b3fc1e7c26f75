"""The vocabulary of scripts: what is an item, and which events it becomes."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.json_text import encode
from finalturn._core.messages import ToolCall
from finalturn._core.model import ModelEnd, ModelResponse, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.scripted.items import Cut, Pause, RawCall, items_of, refuse_awaitable, steps

USAGE = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
OTHER = Usage(input_tokens=1, total_tokens=1)


def play(
    answer: object, number: int = 0, *, native_tools: bool = True, usage: Usage | None = None
) -> list[Any]:
    return list(steps(items_of(answer, number), number, native_tools=native_tools, usage=usage))


class TestItemsOf:
    @pytest.mark.parametrize(
        "item",
        [
            "a",
            "",
            ToolCall("f"),
            RawCall("f", "{", None),
            USAGE,
            Pause(1),
            Cut(),
            OSError("x"),
            ModelEnd(),
            list,
        ],
    )
    def test_one_item_is_a_list_of_it(self, item: object) -> None:
        assert items_of(item, 0) == [item]
        assert items_of((item, item), 0) == [item, item]

    def test_the_list_is_a_copy(self) -> None:
        answer = ["a"]
        items_of(answer, 0).append("b")
        assert answer == ["a"]
        assert items_of([], 0) == []

    def test_a_response_is_its_parts(self) -> None:
        call = ToolCall("f", id="c")
        response = ModelResponse("text", "thought", (call,), "tool_calls", USAGE)
        end = ModelEnd("tool_calls", USAGE)
        assert items_of(response, 0) == [ReasoningDelta("thought"), "text", call, end]
        assert items_of(ModelResponse(), 0) == [ModelEnd()]

    @pytest.mark.parametrize(
        ("wrong", "place", "kind"),
        [
            (None, 0, "None"),
            (3, 0, "an int"),
            (["a", {"a": 1}], 1, "a dict"),
            ([["a"]], 0, "a list"),
            (["a", ModelResponse()], 1, "a ModelResponse"),
            ({"a": 1}, 0, "a dict"),
            ([b"x"], 0, "a bytes"),
        ],
    )
    def test_what_is_no_item_is_refused(self, wrong: Any, place: int, kind: str) -> None:
        with pytest.raises(ConfigurationError, match=f"item {place} of scripted model call 4 is {kind};"):
            items_of(wrong, 4)

    def test_a_player_may_know_more_kinds(self) -> None:
        assert items_of(b"ab", 0, (bytes,)) == [b"ab"]
        assert items_of(["a", b"ab"], 0, (bytes,)) == ["a", b"ab"]
        with pytest.raises(ConfigurationError, match=r"RawCall.*, bytes, or a function"):
            items_of(None, 0, (bytes,))


class TestSteps:
    def test_texts_are_pieces_and_the_end_is_added(self) -> None:
        assert play("Hello") == [TextDelta("Hello"), ModelEnd("stop")]
        assert play(["Hel", "lo"]) == [TextDelta("Hel"), TextDelta("lo"), ModelEnd("stop")]
        assert play([]) == [ModelEnd("stop")]

    def test_a_call_is_sent_in_pieces(self) -> None:
        assert play(["Ok", RawCall("f", '{"a":1}', None), ToolCall("g", id="x")]) == [
            TextDelta("Ok"),
            ToolCallDelta(0, "call_0_0", "f"),
            ToolCallDelta(0, arguments='{"a'),
            ToolCallDelta(0, arguments='":1}'),
            ToolCallDelta(1, "x", "g"),
            ToolCallDelta(1, arguments="{"),
            ToolCallDelta(1, arguments="}"),
            ModelEnd("tool_calls"),
        ]

    def test_a_call_keeps_what_the_provider_wants_back(self) -> None:
        assert play(ToolCall("f", id="x", provider_data={"s": 1}))[0] == ToolCallDelta(
            0, "x", "f", provider_data={"s": 1}
        )

    @given(st.text(max_size=9))
    def test_pieces_of_arguments_are_never_empty_and_make_the_text_again(self, text: str) -> None:
        first, *pieces, end = play(RawCall("f", text, "c"))
        assert (first, end) == (ToolCallDelta(0, "c", "f"), ModelEnd("tool_calls"))
        assert "" not in [piece.arguments for piece in pieces]
        assert "".join(piece.arguments for piece in pieces) == text

    def test_a_call_with_an_error_is_sent_malformed(self) -> None:
        assert play(ToolCall("f", error="not JSON"))[1] == ToolCallDelta(0, arguments="{")

    def test_calls_of_different_answers_have_different_ids(self) -> None:
        call = RawCall("f", "{}", None)
        ids = [step.id for n in (0, 7) for step in play([call, call], n) if getattr(step, "name", "")]
        assert ids == ["call_0_0", "call_0_1", "call_7_0", "call_7_1"]

    @pytest.mark.parametrize("call", [RawCall("f", '{"a":1}', None), ToolCall("f", {"a": 1})])
    def test_without_native_tools_a_call_is_text(self, call: object) -> None:
        assert play(["Ok ", call], native_tools=False) == [
            TextDelta("Ok "),
            TextDelta('<tool_call>{"name": "f", "arguments": {"a":1}}</tool_call>'),
            ModelEnd("stop"),
        ]

    def test_model_events_and_what_is_of_no_vocabulary_pass(self) -> None:
        sent = [ReasoningDelta("hm"), TextDelta("a"), ToolCallDelta(None, "c", "f", "{}"), Pause(1), list]
        assert play(sent) == [*sent, ModelEnd("tool_calls")]
        assert list(steps([b"x", None], 0, native_tools=True, usage=None)) == [b"x", None, ModelEnd("stop")]

    def test_the_end_that_is_scripted_is_the_only_one(self) -> None:
        assert play([RawCall("f", "", "c"), ModelEnd("length"), "a"]) == [
            ToolCallDelta(0, "c", "f"),
            ModelEnd("length"),
            TextDelta("a"),
        ]

    @pytest.mark.parametrize(
        ("answer", "end"),
        [
            ("a", ModelEnd("stop", USAGE)),
            (["a", OTHER], ModelEnd("stop", OTHER)),
            ([OTHER, ModelEnd("length")], ModelEnd("length", OTHER)),
            (ModelEnd("length", OTHER), ModelEnd("length", OTHER)),
        ],
    )
    def test_usage_is_that_of_the_items_else_what_is_given(self, answer: object, end: ModelEnd) -> None:
        assert play(answer, usage=USAGE)[-1] == end

    def test_a_cut_ends_without_an_end(self) -> None:
        assert play(["a", Cut(), OSError("never")]) == [TextDelta("a")]

    @pytest.mark.parametrize("error", [ProviderError("gone", status=503), KeyboardInterrupt()])
    def test_an_exception_is_raised_at_its_place(self, error: BaseException) -> None:
        playing = steps(["a", error, "b"], 0, native_tools=True, usage=None)
        assert next(playing) == TextDelta("a")
        with pytest.raises(type(error)) as caught:
            next(playing)
        assert caught.value is error


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=3))
def test_a_raw_call_as_a_tool_call_shows_its_text(arguments: dict[str, object]) -> None:
    for text in (encode(arguments).decode(), "{broken"):
        call = RawCall("f", text, "c").as_tool_call()
        assert (call.name, call.id, call.error, call.arguments_json()) == ("f", "c", None, text)


class TestAwaitables:
    @pytest.mark.parametrize("result", [None, 3, True, "a", list])
    def test_anything_else_passes(self, result: object) -> None:
        refuse_awaitable(result)

    def test_a_coroutine_is_closed_and_refused(self) -> None:
        async def never() -> None: ...

        coroutine: Coroutine[Any, Any, None] = never()
        with pytest.raises(ConfigurationError, match="nothing here can await"):
            refuse_awaitable(coroutine)
        with pytest.raises(RuntimeError, match="cannot reuse"):
            coroutine.send(None)

    def test_any_awaitable_is_refused(self) -> None:
        class Awaitable:
            def __await__(self) -> Iterator[None]:
                yield

        with pytest.raises(ConfigurationError, match=r"threading\.Event"):
            refuse_awaitable(Awaitable())
