"""The calls of a generateContent answer, whole and in pieces."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.assembly import ToolCallAssembler
from finalturn._core.messages import ToolCall
from finalturn._core.model import ToolCallDelta
from finalturn._providers.gemini.calls import Calls
from tests.providers._gemini_wire import leaves


def deltas(*parts: dict[str, Any], cut: bool = False) -> list[ToolCallDelta]:
    calls = Calls()
    for part in parts:
        before = calls.size
        calls.take(part, "")
        assert calls.size > before
    return list(calls.deltas(cut=cut))


def made(*parts: dict[str, Any], cut: bool = False) -> list[tuple[str, str]]:
    """The names and arguments of the calls."""
    return [(delta.name, delta.arguments) for delta in deltas(*parts, cut=cut)]


def assembled(*parts: dict[str, Any]) -> tuple[ToolCall, ...]:
    assembler = ToolCallAssembler()
    for delta in deltas(*parts):
        assembler.add(delta)
    return assembler.finish(cut=False)


def partial(path: str, *, more: bool = False, **value: Any) -> dict[str, Any]:
    """A piece of arguments."""
    return {"jsonPath": path, **value} | ({"willContinue": True} if more else {})


class TestWhole:
    def test_each_part_with_a_name_is_a_call(self) -> None:
        f = {"name": "f", "args": {"x": 1}}
        assert made(f, f, {"name": "f"}) == [("f", '{"x":1}'), ("f", '{"x":1}'), ("f", "{}")]

    def test_what_is_to_go_back_with_it_is_kept(self) -> None:
        calls = Calls()
        calls.take({"name": "f", "args": {}, "id": "a"}, "s")
        kept = {"gemini": {"id": "a", "thoughtSignature": "s"}}
        assert list(calls.deltas(cut=False)) == [ToolCallDelta(0, "a", "f", "{}", kept)]

    @pytest.mark.parametrize(
        ("args", "written"),
        [
            (None, "{}"),
            ({}, "{}"),
            ([1], "[1]"),
            (7, "7"),
            ('{"x":1}', '{"x":1}'),
            ({"n": 9007199254740993}, '{"n":9007199254740993}'),
            ({"s": "\ud83d"}, '{"s":"\ufffd"}'),
        ],
    )
    def test_arguments_become_text(self, args: Any, written: str) -> None:
        assert made({"name": "f", "args": args}) == [("f", written)]

    def test_those_that_are_too_deep_become_text_that_does_not_run(self) -> None:
        deep: Any = []
        for _ in range(900):
            deep = [deep]
        assert made({"name": "f", "args": {"a": deep}}) == [("f", "[")]

    @pytest.mark.parametrize("given", [{}, {"name": 7, "args": None, "id": 7}, {"name": None}])
    def test_one_may_name_nothing(self, given: Any) -> None:
        assert deltas(given) == [ToolCallDelta(0, None, "", "{}")]


class TestContinued:
    @pytest.mark.parametrize(
        "first", [{}, {"args": {}}, {"args": "{}"}, {"args": ""}, {"willContinue": True}]
    )
    @pytest.mark.parametrize("args", [{"q": 1}, '{"q":1}'])
    def test_a_part_without_a_name_has_the_arguments_of_the_call_before(
        self, first: dict[str, Any], args: Any
    ) -> None:
        assert made({"name": "f", **first}, {"args": args}) == [("f", '{"q":1}')]

    def test_several_parts_are_for_as_many_calls_in_order(self) -> None:
        f: dict[str, Any] = {"name": "f", "args": {}}
        g: dict[str, Any] = {"name": "g"}
        x, y, z = ({"args": {"q": q}} for q in "xyz")
        assert made(f, g, x, y) == [("f", '{"q":"x"}'), ("g", '{"q":"y"}')]
        assert made(f, x, g, y) == [("f", '{"q":"x"}'), ("g", '{"q":"y"}')]
        assert made(f, f, x, y, g, z) == [("f", '{"q":"x"}'), ("f", '{"q":"y"}'), ("g", '{"q":"z"}')]
        # Of any other number, it is not known.
        assert made(f, g, x) == [("f", "{}"), ("g", '{"q":"x"}')]
        assert made(f, f, g, x, y) == [("f", "{}"), ("f", "{}"), ("g", '{"q":"y"}')]
        assert made({**f, "id": "1"}, {**g, "id": "2"}, {**y, "id": "2"}, {**x, "id": "1"}) == [
            *(("f", '{"q":"x"}'), ("g", '{"q":"y"}'))
        ]  # fmt: skip

    def test_arguments_may_come_one_by_one(self) -> None:
        parts: list[dict[str, Any]] = [
            {"args": {"a": 1}},
            {"args": {"b": 2}},
            {"args": {"a": 1, "b": 2, "c": 3}},
            {},
        ]
        assert made({"name": "f"}, *parts) == [("f", '{"a":1,"b":2,"c":3}')]

    def test_or_as_pieces_of_text(self) -> None:
        assert made({"name": "f"}, {"args": '{"q":'}, {"args": "1}"}) == [("f", '{"q":1}')]

    def test_calls_stay_apart(self) -> None:
        parts: list[dict[str, Any]] = [
            {"name": "f"},
            {"args": {"q": 1}},
            {"name": "g", "args": {}},
            {"args": {"r": 2}},
        ]
        assert made(*parts) == [("f", '{"q":1}'), ("g", '{"r":2}')]

    def test_an_id_says_which_one(self) -> None:
        parts: list[dict[str, Any]] = [
            {"name": "f", "id": "a"},
            {"name": "g", "id": "b"},
            {"id": "a", "args": {"q": 1}},
            {"id": "b", "args": {"r": 2}},
        ]
        assert made(*parts) == [("f", '{"q":1}'), ("g", '{"r":2}')]

    def test_of_an_id_that_nobody_knows_it_is_another_call(self) -> None:
        assert made({"name": "f", "id": "a"}, {"id": "b", "args": {"q": 1}}) == [("f", "{}"), ("", '{"q":1}')]

    def test_an_id_may_come_late(self) -> None:
        (delta,) = deltas({"name": "f"}, {"id": "a", "args": {"q": 1}})
        assert (delta.id, delta.arguments) == ("a", '{"q":1}')

    def test_a_name_may_be_repeated_while_the_call_is_to_continue(self) -> None:
        first = {"name": "f", "willContinue": True}
        assert made(first, {**first, "args": {"q": 1}}, {"name": "f", "args": {"r": 2}}) == [
            ("f", '{"q":1,"r":2}')
        ]

    def test_and_where_the_id_is_the_same_and_nothing_else_was_asked_for(self) -> None:
        first: dict[str, Any] = {"name": "f", "id": "a", "args": {}}
        assert made(first, {**first, "args": {"q": 1}}) == [("f", '{"q":1}')]
        assert made(first, first) == [("f", "{}")]

    def test_otherwise_a_name_begins_a_call(self) -> None:
        assert len(made({"name": "f"}, {"name": "f", "args": {"q": 1}})) == 2
        one, two = ({"name": "f", "id": "a", "args": {"q": number}} for number in (1, 2))
        assert len(made(one, two)) == 2
        assert [call.id for call in assembled(one, two)] == ["a", "call_1"]

    def test_a_signature_may_come_with_any_piece(self) -> None:
        calls = Calls()
        calls.take({"name": "f", "willContinue": True}, "")
        calls.take({"args": {"q": 1}}, "s")
        calls.take({}, "")
        assert [delta.provider_data for delta in calls.deltas(cut=False)] == [
            {"gemini": {"thoughtSignature": "s"}}
        ]


class TestPartialArguments:
    def test_values_go_where_their_paths_say(self) -> None:
        parts: list[dict[str, Any]] = [
            {"name": "f", "willContinue": True},
            {"partialArgs": [partial("$.a", stringValue="Bos", more=True)], "willContinue": True},
            {"partialArgs": [partial("$.a", stringValue="ton")], "willContinue": True},
            {"partialArgs": [partial("$.b.c[0].d", numberValue=50), partial("$.b.c[1]", boolValue=False)]},
            {"partialArgs": [partial("$['x y'][\"q\"]", nullValue="NULL_VALUE")]},
            {},
        ]
        assert made(*parts) == [("f", '{"a":"Boston","b":{"c":[{"d":50},false]},"x y":{"q":null}}')]

    def test_a_last_part_is_not_needed(self) -> None:
        parts: list[dict[str, Any]] = [
            {"name": "f", "willContinue": True},
            {"partialArgs": [partial("$.a[0]", stringValue="x")]},
        ]
        assert made(*parts) == [("f", '{"a":["x"]}')]

    def test_calls_follow_each_other(self) -> None:
        first = {"name": "f", "partialArgs": [partial("$.a", numberValue=1)], "willContinue": True}
        assert made(first, {}, {**first, "name": "g"}, {}) == [("f", '{"a":1}'), ("g", '{"a":1}')]

    def test_without_a_name_they_belong_to_no_call_that_runs(self) -> None:
        assert made({"partialArgs": [partial("$.a", numberValue=1)]}) == [("", '{"a":1}')]

    @pytest.mark.parametrize("cut", [True, False])
    def test_a_value_that_was_to_continue_and_did_not_is_no_argument(self, cut: bool) -> None:
        half = {"name": "f", "partialArgs": [partial("$.a", stringValue="rm -rf /tm", more=True)]}
        assert made(half, {}, cut=cut) == [("f", '{"a":"rm -rf /tm"')]

    def test_nor_is_a_call_that_was_cut(self) -> None:
        assert made({"name": "f", "willContinue": True}, cut=True) == [("f", "{")]

    @pytest.mark.parametrize(
        "path",
        [
            "",
            "a",
            "$",
            "$.",
            "$..a",
            "$[*]",
            "$.a[",
            "$.a[-1]",
            "$.a.b",
            "$.s.b",
            "$.a[5000]",
            "$[0]",
            7,
            None,
        ],
    )
    def test_a_place_that_is_none_makes_a_call_that_does_not_run(self, path: Any) -> None:
        parts: list[dict[str, Any]] = [
            {"name": "f", "partialArgs": [partial("$.a[0]", numberValue=1), partial("$.s", stringValue="x")]},
            {"partialArgs": [{"jsonPath": path, "numberValue": 1}]},
        ]
        assert made(*parts) == [("f", "[")]

    @pytest.mark.parametrize("pieces", [None, {}, "x", [], [None], [{}], [{"jsonPath": "$.a"}]])
    def test_none_are_nothing(self, pieces: Any) -> None:
        assert made({"name": "f", "partialArgs": pieces}, {"args": {"q": 1}}) == [("f", '{"q":1}')]


NAMES = st.text(min_size=1, max_size=4)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, VALUES, max_size=3), st.data())
def test_arguments_come_out_however_they_are_streamed(arguments: dict[str, Any], data: st.DataObject) -> None:
    pieces: list[dict[str, Any]] = []
    for path, value in leaves(arguments, "$"):
        if isinstance(value, str):
            at = data.draw(st.integers(0, len(value)))
            pieces.append(partial(path, stringValue=value[:at], more=True))
            pieces.append(partial(path, stringValue=value[at:]))
        else:
            name = (
                "boolValue"
                if isinstance(value, bool)
                else "numberValue"
                if isinstance(value, int)
                else "nullValue"
            )
            pieces.append({"jsonPath": path, name: value})
    parts: list[dict[str, Any]] = [{"name": "f", "willContinue": True}]
    while pieces:
        size = data.draw(st.integers(1, len(pieces)))
        parts.append({"partialArgs": pieces[:size], "willContinue": True})
        pieces = pieces[size:]
    if data.draw(st.booleans()):
        parts.append({})
    (call,) = assembled(*parts)
    clean = call.error is None
    assert clean
    assert call.arguments == arguments
