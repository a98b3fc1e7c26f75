"""Tool-call deltas, put together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.assembly import ToolCallAssembler, with_unique_ids
from finalturn._core.messages import ToolCall
from finalturn._core.model import ToolCallDelta as Delta


def assemble(*deltas: Delta, cut: bool = False) -> tuple[ToolCall, ...]:
    assembler = ToolCallAssembler()
    for delta in deltas:
        assembler.add(delta)
    return assembler.finish(cut=cut)


def seen(calls: tuple[ToolCall, ...]) -> list[tuple[str, Any, str | None]]:
    """Name, arguments and id of each; a broken call shows ``None`` for its arguments."""
    return [(call.name, None if call.error else call.arguments, call.id) for call in calls]


class TestWhichCallAPieceBelongsTo:
    def test_pieces_of_one_index_make_one_call(self) -> None:
        calls = assemble(Delta(0, "a", "f", ""), Delta(0, None, "", '{"x":'), Delta(0, None, "", "1}"))
        assert seen(calls) == [("f", {"x": 1}, "a")]
        assert calls[0].arguments_json() == '{"x":1}'

    def test_an_empty_id_is_no_id(self) -> None:
        assert seen(assemble(Delta(0, "a", "f", '{"x":'), Delta(0, "", "", "1}"))) == [("f", {"x": 1}, "a")]

    def test_interleaved_pieces_go_by_index(self) -> None:
        calls = assemble(
            Delta(0, "a", "f"),
            Delta(1, "b", "g"),
            Delta(0, arguments='{"a":'),
            Delta(1, arguments='{"b":'),
            Delta(0, arguments="1}"),
            Delta(1, arguments="2}"),
        )
        assert seen(calls) == [("f", {"a": 1}, "a"), ("g", {"b": 2}, "b")]

    def test_without_an_index_a_new_id_is_a_new_call_and_no_id_continues(self) -> None:
        calls = assemble(
            Delta(None, "a", "f", '{"x":'), Delta(None, None, "", "1}"), Delta(None, "b", "g", "{}")
        )
        assert seen(calls) == [("f", {"x": 1}, "a"), ("g", {}, "b")]

    def test_without_an_index_a_known_id_continues(self) -> None:
        calls = assemble(
            Delta(None, "a", "f", '{"x":'),
            Delta(None, "b", "g", '{"y":'),
            Delta(None, "a", "", "1}"),
            Delta(None, "b", "", "2}"),
        )
        assert seen(calls) == [("f", {"x": 1}, "a"), ("g", {"y": 2}, "b")]

    def test_an_index_may_be_missing_from_the_first_piece_only(self) -> None:
        calls = assemble(Delta(None, "a", "f", '{"x":'), Delta(0, None, "", "1}"), Delta(0, None, "", " "))
        assert seen(calls) == [("f", {"x": 1}, "a")]

    def test_another_id_at_the_same_index_is_another_call(self) -> None:
        calls = assemble(Delta(0, "a", "s", '{"q":"x"}'), Delta(0, "b", "s", '{"q":"y"}'))
        assert seen(calls) == [("s", {"q": "x"}, "a"), ("s", {"q": "y"}, "b")]

    def test_ids_tell_interleaved_calls_apart_that_share_an_index(self) -> None:
        calls = assemble(
            Delta(0, "a", "f", '{"x":'),
            Delta(0, "b", "g", '{"y":'),
            Delta(0, "a", "", "1"),
            Delta(0, None, "", "}"),
            Delta(0, "b", "", "2}"),
        )
        assert seen(calls) == [("f", {"x": 1}, "a"), ("g", {"y": 2}, "b")]

    def test_an_id_may_come_late(self) -> None:
        calls = assemble(Delta(0, None, "f"), Delta(0, "a", "", '{"x":1}'))
        assert seen(calls) == [("f", {"x": 1}, "a")]

    def test_a_late_id_with_a_name_is_another_call_once_arguments_have_begun(self) -> None:
        calls = assemble(Delta(0, None, "f", '{"x":1}'), Delta(0, "b", "f", '{"x":2}'))
        assert seen(calls) == [("f", {"x": 1}, "call_0"), ("f", {"x": 2}, "b")]

    def test_a_running_index_on_every_piece_does_not_tear_a_call_with_an_id(self) -> None:
        calls = assemble(Delta(0, "a", "f", '{"x":'), Delta(1, "a", "", "1"), Delta(2, "a", "", "}"))
        assert seen(calls) == [("f", {"x": 1}, "a")]

    def test_an_id_at_the_index_of_another_call_is_in_doubt_and_makes_a_call(self) -> None:
        calls = assemble(Delta(0, "a", "f", "{}"), Delta(1, "b", "g", "{"), Delta(1, "a", "", "}"))
        assert [call.error is None for call in calls] == [True, False, False]

    def test_calls_without_ids_at_one_index_are_told_apart_by_their_names(self) -> None:
        calls = assemble(Delta(0, "", "f", '{"a":1}'), Delta(0, "", "f", '{"a":2}'), Delta(0, "", "g", "{}"))
        assert seen(calls) == [("f", {"a": 1}, "call_0"), ("f", {"a": 2}, "call_1"), ("g", {}, "call_2")]

    def test_another_name_never_goes_on_with_begun_arguments(self) -> None:
        calls = assemble(Delta(None, None, "f", '{"a":'), Delta(None, None, "g", '{"b":1}'))
        assert seen(calls) == [("f", None, "call_0"), ("g", {"b": 1}, "call_1")]

    def test_a_nameless_piece_at_a_new_index_is_a_call_of_its_own(self) -> None:
        calls = assemble(Delta(0, "a", "f", '{"a":'), Delta(1, None, "", "1}"))
        assert [call.error is None for call in calls] == [False, False]

    def test_a_piece_that_says_nothing_makes_no_call(self) -> None:
        assert assemble(Delta(0), Delta(3, "", "", "")) == ()


class TestRepeats:
    def test_the_whole_call_again_at_the_end_is_the_same_call(self) -> None:
        calls = assemble(Delta(0, "a", "f", '{"x":'), Delta(0, None, "", "1}"), Delta(0, "a", "f", '{"x":1}'))
        assert seen(calls) == [("f", {"x": 1}, "a")]

    @pytest.mark.parametrize("index", [0, 1, None])
    @pytest.mark.parametrize("again", ['{"x":1}', '{"x": 1}'])
    def test_wherever_it_comes_and_however_it_is_written(self, index: int | None, again: str) -> None:
        assert seen(assemble(Delta(0, "a", "f", '{"x":1}'), Delta(index, "a", "f", again))) == [
            ("f", {"x": 1}, "a")
        ]

    def test_the_arguments_again_without_a_name(self) -> None:
        assert seen(assemble(Delta(0, "a", "f", '{"x":1}'), Delta(0, "a", "", '{"x":1}'))) == [
            ("f", {"x": 1}, "a")
        ]

    @pytest.mark.parametrize("name", ["f", ""])
    @pytest.mark.parametrize("pieces", [['{"q":1}'], ['{"q"', ":1}"]])
    def test_an_empty_object_may_come_before_the_arguments(self, name: str, pieces: list[str]) -> None:
        first, *rest = pieces
        deltas = [Delta(0, "a", "f", "{}"), Delta(0, "a", name, first)]
        assert seen(assemble(*deltas, *(Delta(0, "a", "", piece) for piece in rest))) == [
            ("f", {"q": 1}, "a")
        ]

    def test_but_with_a_name_and_no_id_that_is_in_doubt_and_makes_two(self) -> None:
        calls = assemble(Delta(0, None, "f", "{}"), Delta(0, None, "f", '{"q":1}'))
        assert seen(calls) == [("f", {}, "call_0"), ("f", {"q": 1}, "call_1")]

    def test_the_name_again_with_every_piece(self) -> None:
        calls = assemble(
            Delta(0, "a", "f", ""),
            Delta(0, "a", "f", '{"s":"}\\'),
            Delta(0, "a", "f", '"{"'),
            Delta(0, "a", "f", "}"),
            Delta(0, "a", "f", ""),
        )
        assert seen(calls) == [("f", {"s": '}"{'}, "a")]

    def test_an_id_that_is_used_for_another_call_is_replaced(self) -> None:
        calls = assemble(
            Delta(0, "a", "f", '{"x":1}'),
            Delta(0, "a", "f", '{"x":2}'),
            Delta(1, "a", "g", '{"x":1}'),
        )
        assert seen(calls) == [("f", {"x": 1}, "a"), ("f", {"x": 2}, "call_1"), ("g", {"x": 1}, "call_2")]

    def test_one_and_true_are_not_the_same(self) -> None:
        calls = assemble(Delta(0, "a", "f", '{"x":1}'), Delta(1, "a", "f", '{"x":true}'))
        assert [call.arguments_json() for call in calls] == ['{"x":1}', '{"x":true}']

    def test_equal_calls_under_different_ids_are_wanted_twice(self) -> None:
        assert len(assemble(Delta(0, "a", "f", "{}"), Delta(1, "b", "f", "{}"))) == 2
        assert len(assemble(Delta(0, None, "f", "{}"), Delta(1, None, "f", "{}"))) == 2

    def test_broken_calls_are_equal_only_when_their_texts_are(self) -> None:
        assert len(assemble(Delta(0, "a", "f", "{1"), Delta(1, "a", "f", "{1"))) == 1
        assert len(assemble(Delta(0, "a", "f", "{1"), Delta(1, "a", "f", "{2"))) == 2


class TestNames:
    def test_a_name_may_come_in_pieces(self) -> None:
        calls = assemble(Delta(0, "a", "get_"), Delta(0, None, "weather"), Delta(0, None, "", "{}"))
        assert seen(calls) == [("get_weather", {}, "a")]

    def test_a_name_may_come_last(self) -> None:
        assert seen(assemble(Delta(0, "a", "", '{"x":1}'), Delta(0, None, "f"))) == [("f", {"x": 1}, "a")]

    @pytest.mark.parametrize("name", ["", " "])
    def test_a_call_without_a_name_cannot_run(self, name: str) -> None:
        (call,) = assemble(Delta(0, "", name, '{"a":1}'))
        assert (call.name, call.id, call.error) == ("", "call_0", "the call names no tool")


class TestIds:
    def test_fresh_ids_are_none_of_the_given_ones(self) -> None:
        calls = assemble(Delta(0, None, "f", "{}"), Delta(1, "call_0", "f", "{}"), Delta(2, None, "f", "{}"))
        assert [call.id for call in calls] == ["call_1", "call_0", "call_2"]

    def test_calls_whose_ids_are_their_own_stay_as_they_are(self) -> None:
        calls = (ToolCall("f", {}, "a"), ToolCall("f", {}, "b"))
        assert with_unique_ids(calls) == calls

    def test_a_whole_reply_gets_the_same_care(self) -> None:
        calls = with_unique_ids(
            [ToolCall("f", {}, "a"), ToolCall("f", {"b": 1}, "a"), ToolCall("g"), ToolCall("h", {}, "")]
        )
        assert [call.id for call in calls] == ["a", "call_1", "call_2", "call_3"]

    def test_halves_of_surrogate_pairs_are_joined_or_replaced(self) -> None:
        (call,) = assemble(
            Delta(0, "i\ud83d", "n\ud83d", '{"a":"\ud83d'), Delta(0, None, "", '\ude00","b":"\ud83d"}')
        )
        assert (call.id, call.name) == ("i\ufffd", "n\ufffd")
        assert call.arguments == {"a": "\U0001f600", "b": "\ufffd"}


class TestProviderData:
    def test_it_is_kept_and_added_to(self) -> None:
        (call,) = assemble(
            Delta(0, "a", "f", "{}", {"signature": "x"}),
            Delta(0, provider_data={"more": 1}),
            Delta(0, "a", "f", "{}"),
        )
        assert call.provider_data == {"signature": "x", "more": 1}


class TestCut:
    @pytest.mark.parametrize("text", ["", " ", '{"a":"xxx', "{"])
    def test_blank_and_broken_arguments_of_a_cut_answer_are_cut(self, text: str) -> None:
        (call,) = assemble(Delta(0, "a", "f", text), cut=True)
        assert call.error is not None
        assert "cut" in call.error
        assert call.arguments == {}

    def test_a_call_that_is_complete_in_a_cut_answer_can_run(self) -> None:
        assert seen(assemble(Delta(0, "a", "f", '{"a":1}'), Delta(1, "b", "f", "{"), cut=True)) == [
            ("f", {"a": 1}, "a"),
            ("f", None, "b"),
        ]

    def test_blank_arguments_are_none_at_all_otherwise(self) -> None:
        (call,) = assemble(Delta(0, "a", "f", " "))
        assert (call.arguments, call.error, call.arguments_json()) == ({}, None, "{}")


NAMES = st.sampled_from(["f", "g", "get_weather"])
VALUES = st.integers() | st.text(max_size=8) | st.lists(st.booleans(), max_size=2)
CALLS = st.lists(
    st.tuples(NAMES, st.dictionaries(st.text(max_size=3), VALUES, max_size=2)), min_size=1, max_size=4
)


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[tuple[str, dict[str, Any]]], list[Delta]]:
    """Well-formed calls, and their pieces interleaved in any way."""
    calls = draw(CALLS)
    has_ids = draw(st.booleans())
    queues: list[list[Delta]] = []
    for index, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments, ensure_ascii=draw(st.booleans()))
        cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        first = Delta(index, f"id{index}" if has_ids else None, name, pieces.pop(0))
        queues.append([first, *(Delta(index, arguments=piece) for piece in pieces)])
    deltas: list[Delta] = []
    while any(queues):
        deltas.append(draw(st.sampled_from([queue for queue in queues if queue])).pop(0))
    return calls, deltas


@given(streams())
def test_any_interleaving_by_index_gives_exactly_the_calls(
    case: tuple[list[tuple[str, dict[str, Any]]], list[Delta]],
) -> None:
    calls, deltas = case
    got = assemble(*deltas)
    assert sorted(json.dumps([call.name, call.arguments]) for call in got) == sorted(
        json.dumps(list(call)) for call in calls
    )
    assert all(call.error is None for call in got)
    assert len({call.id for call in got}) == len(calls)


PIECES = st.sampled_from(
    ["", " ", "{", "}", '{"a":', '{"b":', "1", "1}", '{"a":1}', '{"b":2}', "{}", '"', "\\", "[", "NaN"]
)
GARBAGE = st.lists(
    st.builds(
        Delta,
        st.none() | st.integers(-1, 2),
        st.sampled_from([None, "", "x", "y"]),
        st.sampled_from(["", "", "f", "g"]),
        PIECES,
    ),
    max_size=12,
)


@given(GARBAGE, st.booleans())
def test_garbage_never_makes_a_call_that_nobody_sent(deltas: list[Delta], cut: bool) -> None:
    calls = assemble(*deltas, cut=cut)
    assert len(calls) <= len(deltas)
    ids = [call.id for call in calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    for call in calls:
        if call.error is not None:
            assert call.arguments == {} or not call.name
            continue
        # What can run is one whole object, and its own text says so.
        assert json.loads(call.arguments_json()) == call.arguments
        assert len(call.arguments) <= 1
    assert calls == assemble(*deltas, cut=cut)


@given(st.lists(st.tuples(st.sampled_from(["x", "y", ""]), st.integers(0, 3)), min_size=1, max_size=6))
def test_whole_calls_at_one_index_are_never_glued(sent: list[tuple[str, int]]) -> None:
    deltas = [Delta(0, call_id, "f", json.dumps({"n": number})) for call_id, number in sent]
    got = assemble(*deltas)
    assert all(call.error is None for call in got)
    assert {call.arguments["n"] for call in got} == {number for _, number in sent}


def test_a_long_stream_that_repeats_its_name_takes_linear_time() -> None:
    text = json.dumps({"items": [{"n": n} for n in range(5_000)]})
    deltas = [Delta(0, "a", "f", text[at : at + 8]) for at in range(0, len(text), 8)]
    (call,) = assemble(*deltas)
    assert len(call.arguments["items"]) == 5_000


def test_a_whole_reply_that_repeats_a_call_under_one_id_has_it_once() -> None:
    same = ToolCall("f", {"a": 1}, "x")
    assert with_unique_ids([same, same]) == (same,)
    other = ToolCall("f", {"a": 2}, "x")
    assert [call.id for call in with_unique_ids([same, other])] == ["x", "call_1"]
    nameless = ToolCall("f", {}, None)
    assert [call.id for call in with_unique_ids([nameless, nameless])] == ["call_0", "call_1"]


def test_provider_data_that_cannot_be_kept_makes_the_call_fail() -> None:
    deep: dict[str, Any] = {}
    for _ in range(200):
        deep = {"a": deep}
    assembler = ToolCallAssembler()
    assembler.add(Delta(0, "x", "f", '{"a": 1}', provider_data=deep))
    (call,) = assembler.finish(cut=False)
    assert (call.name, call.id, call.arguments, call.provider_data) == ("f", "x", {}, None)
    assert call.error == "what the provider wants back with the call is no JSON that can be kept"


class TestFromText:
    READ = ToolCall("t", {"x": 1})
    BROKEN = ToolCall("t", error="the call was malformed")

    def test_a_whole_call_gets_no_id_and_keeps_its_error(self) -> None:
        calls = assemble(Delta(from_text=self.READ), Delta(name="t", arguments="[", from_text=self.BROKEN))
        assert calls == (self.READ, self.BROKEN)

    def test_it_stands_where_it_came_among_the_others(self) -> None:
        calls = assemble(
            Delta(0, None, "f", '{"x":'),
            Delta(from_text=self.READ),
            Delta(0, None, "", "1}"),
            Delta(from_text=self.BROKEN),
            Delta(None, None, "g", "{}"),
        )
        assert [(call.name, call.id) for call in calls] == [
            *(("f", "call_0"), ("t", None), ("t", None), ("g", "call_1")),
        ]  # fmt: skip
        assert [call.error for call in calls] == [None, None, self.BROKEN.error, None]

    def test_what_the_server_has_read_too_is_one_call(self) -> None:
        native = Delta(0, "a", "t", '{"x": 1}')
        for deltas in ([Delta(from_text=self.READ), native], [native, Delta(from_text=self.READ)]):
            assert seen(assemble(*deltas)) == [("t", {"x": 1}, "a")]
            # Each stands for one of them.
            again = assemble(*deltas, Delta(from_text=self.READ))
            assert sorted(call.id or "" for call in again) == ["", "a"]
        assert seen(assemble(Delta(from_text=self.BROKEN), native)) == [("t", {"x": 1}, "a")]

    @pytest.mark.parametrize("arguments", ['{"x": 2}', '{"x": true}', '{"x": 1, "y": 1}', "{", '{"x": "1"}'])
    def test_other_arguments_are_another_call(self, arguments: str) -> None:
        assert len(assemble(Delta(from_text=self.READ), Delta(0, "a", "t", arguments))) == 2

    def test_another_name_is_another_call(self) -> None:
        assert len(assemble(Delta(from_text=self.READ), Delta(0, "a", "u", '{"x": 1}'))) == 2
        assert len(assemble(Delta(from_text=self.BROKEN), Delta(0, "a", "u", '{"x": 1}'))) == 2

    def test_what_goes_back_with_it_is_not_lost(self) -> None:
        read = ToolCall("t", {"x": 1}, provider_data={"k": 1})
        (call,) = assemble(Delta(from_text=read), Delta(0, "a", "t", '{"x": 1}'))
        assert (call.id, call.provider_data) == ("a", {"k": 1})
        own = Delta(0, "a", "t", '{"x": 1}', provider_data={"own": 1})
        (call,) = assemble(Delta(from_text=read), own)
        assert call.provider_data == {"own": 1}
