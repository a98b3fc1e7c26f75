"""Which item a record is about, whatever a server leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._providers.openai_responses.place import Item, Items


def item(kind: str = "message", item_id: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **({} if item_id is None else {"id": item_id}), **fields}


def begin(items: Items, index: int | None, given: dict[str, Any]) -> Item:
    return items.of_begin({"item": given, **({} if index is None else {"output_index": index})})


def delta(items: Items, index: int | None, item_id: str | None, kind: str = "message") -> Item:
    record: dict[str, Any] = {} if index is None else {"output_index": index}
    if item_id is not None:
        record["item_id"] = item_id
    return items.of_delta(record, kind)


class TestDeltas:
    @pytest.mark.parametrize(
        ("index", "item_id"),
        [(0, "a"), (0, None), (None, "a"), (0, "changed"), (7, "a")],
    )
    def test_an_id_or_a_place_is_enough(self, index: int | None, item_id: str | None) -> None:
        items = Items()
        first = begin(items, 0, item(item_id="a"))
        begin(items, 1, item(item_id="b"))
        assert delta(items, index, item_id) is first

    def test_with_neither_it_is_the_latest_of_its_kind(self) -> None:
        items = Items()
        begin(items, None, item())
        second = begin(items, None, item())
        begin(items, None, item("reasoning"))
        assert delta(items, None, None) is second

    def test_items_that_all_have_one_place_are_told_by_their_ids(self) -> None:
        items = Items()
        first, second = (begin(items, 0, item(item_id=name)) for name in "ab")
        assert (delta(items, 0, "a"), delta(items, 0, "b")) == (first, second)

    def test_items_that_all_have_one_id_are_told_by_their_places(self) -> None:
        items = Items()
        first, second = (begin(items, index, item(item_id="same")) for index in (0, 1))
        assert (delta(items, 0, "same"), delta(items, 1, "same")) == (first, second)

    @pytest.mark.parametrize(("index", "item_id"), [(None, None), (0, "a"), (3, None), (None, "a")])
    def test_one_of_which_nothing_is_known_is_new(self, index: int | None, item_id: str | None) -> None:
        items = Items()
        begin(items, 0, item("reasoning", "a"))
        found = delta(items, index, item_id)
        assert found.kind == "message"
        assert items.all[1:] == [found]
        assert delta(items, index, item_id) is found


class TestBeginAndEnd:
    def test_one_that_is_begun_twice_is_one(self) -> None:
        items = Items()
        assert begin(items, 0, item(item_id="a")) is begin(items, 0, item(item_id="a"))

    def test_others_are_others(self) -> None:
        items = Items()
        for index, item_id in ((0, "a"), (0, "b"), (1, "b"), (None, None), (None, None)):
            begin(items, index, item(item_id=item_id))
        assert len(items.all) == 5

    @pytest.mark.parametrize(("index", "item_id"), [(0, "a"), (None, "a"), (0, None), (0, "changed")])
    def test_its_end_is_its_own(self, index: int | None, item_id: str | None) -> None:
        items = Items()
        first = begin(items, 0, item(item_id="a"))
        assert items.of_end({"output_index": index, "item": item(item_id=item_id)}) is first

    def test_an_end_without_a_beginning_is_an_item(self) -> None:
        items = Items()
        first = items.of_end({"item": item()})
        first.done = True
        assert items.of_end({"item": item()}) is not first

    @pytest.mark.parametrize(
        "given", [{}, {"item": None}, {"item": [], "output_index": "0"}, {"item": {"id": 7}}]
    )
    def test_nonsense_is_an_item_of_no_kind(self, given: dict[str, Any]) -> None:
        assert Items().of_begin(given).kind == ""
        assert Items().of_end(given).kind == ""


class TestWholeAnswers:
    def incomplete(self, items: Items, *output: dict[str, Any]) -> list[tuple[Item, dict[str, Any]]]:
        return list(items.incomplete(list(output)))

    def test_of_nothing_known_all_is_left(self) -> None:
        items = Items()
        output = [item("message"), item("message"), item("function_call", call_id="x")]
        assert [given for _, given in self.incomplete(items, *output)] == output
        assert len(items.all) == 3

    def test_what_is_complete_is_not(self) -> None:
        items = Items()
        begin(items, 0, item(item_id="a")).done = True
        assert self.incomplete(items, item(item_id="a")) == []
        assert self.incomplete(items, item(item_id="changed")) == []

    def test_what_is_not_complete_is(self) -> None:
        items = Items()
        first = begin(items, 0, item(item_id="a"))
        assert self.incomplete(items, item(item_id="a")) == [(first, item(item_id="a"))]

    def test_one_of_another_place_is_known_by_its_kind(self) -> None:
        items = Items()
        begin(items, 0, item("reasoning", "r")).done = True
        begin(items, 1, item(item_id="a")).done = True
        assert self.incomplete(items, item(item_id="changed")) == []

    def test_calls_are_known_by_their_own_id(self) -> None:
        items = Items()
        for index, call_id in enumerate("xy"):
            known = begin(items, index, item("function_call"))
            known.call_id, known.done = call_id, True
        third = item("function_call", call_id="z")
        again = item("function_call", call_id="y")
        assert [given for _, given in self.incomplete(items, again, third)] == [third]

    def test_a_call_that_has_not_said_its_id_may_be_it(self) -> None:
        items = Items()
        known = begin(items, 0, item("function_call"))
        assert self.incomplete(items, item("function_call", call_id="x"))[0][0] is known

    def test_a_message_that_was_told_as_part_of_another_one_is_not_told_again(self) -> None:
        items = Items()
        delta(items, None, None)
        assert [given for _, given in self.incomplete(items, item(item_id="a"), item(item_id="b"))] == [
            item(item_id="a")
        ]

    @pytest.mark.parametrize("output", [None, {}, "x", 7])
    def test_no_list_leaves_nothing(self, output: object) -> None:
        assert list(Items().incomplete(output)) == []
