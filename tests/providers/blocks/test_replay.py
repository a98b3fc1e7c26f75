"""Thoughts that are kept and go back."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.messages import Message, ToolCall
from finalturn._providers.blocks.replay import Prefix, Thoughts, replay_data

SERVER = "https://me:sk-SENTINEL@api.example/v1/messages"
ONE: dict[str, Any] = {"type": "thinking", "thinking": "hm", "signature": "sig"}
TWO: dict[str, Any] = {"type": "redacted_thinking", "data": "xyz"}
USE: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
LATER: dict[str, Any] = {**USE, "id": "b"}


def thoughts(*layout: Any, server: str = SERVER, parts: tuple[Any, ...] = ("sys", [])) -> Thoughts:
    data = replay_data(list(layout), lambda: Prefix(server, *parts))
    return Thoughts(Message.assistant("", tool_calls=[ToolCall("f", {}, "a", provider_data=data)]))


def said(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def text_blocks(text: str) -> list[dict[str, Any]]:
    return [] if not text or text.isspace() else [said(text)]


class TestPrefix:
    def test_it_is_of_all_parts_in_order(self) -> None:
        values = [
            Prefix(SERVER, *parts).value()
            for parts in [(), ("a",), ("a", "b"), ("b", "a"), ("ab",), (["a", "b"],), (None, "a")]
        ]
        assert len(set(values)) == len(values)

    def test_it_can_be_made_in_steps(self) -> None:
        prefix = Prefix(SERVER, "a")
        assert prefix.value() == Prefix(SERVER, "a").value()
        prefix.add("b", "c")
        assert prefix.value() == Prefix(SERVER, "a", "b", "c").value()

    def test_nothing_of_the_address_is_kept(self) -> None:
        data = str(replay_data([ONE], lambda: Prefix(SERVER)))
        assert "SENTINEL" not in data
        assert "api.example" not in data


class TestKept:
    def test_without_thoughts_there_is_nothing_to_keep(self) -> None:
        assert replay_data([], lambda: pytest.fail("no fingerprint is made")) is None

    def test_what_is_kept_is_json(self) -> None:
        call = ToolCall("f", {}, "a", provider_data=replay_data([ONE, 3, None], lambda: Prefix(SERVER)))
        assert ToolCall.from_dict(call.to_dict()) == call


class TestFit:
    def test_they_fit_behind_what_they_were_made_behind(self) -> None:
        assert thoughts(ONE, None).fit(Prefix(SERVER, "sys", []), anywhere=False)
        assert not thoughts(ONE, None).fit(Prefix(SERVER, "other", []), anywhere=False)

    def test_an_older_model_does_not_mind(self) -> None:
        assert thoughts(ONE, None).fit(Prefix(SERVER, "other", []), anywhere=True)

    @pytest.mark.parametrize("anywhere", [True, False])
    def test_they_go_back_to_where_they_come_from(self, anywhere: bool) -> None:
        assert not thoughts(ONE, None).fit(Prefix("http://x", "sys", []), anywhere=anywhere)

    @pytest.mark.parametrize(
        "data",
        [
            None,
            {},
            {"extra_content": {}},
            {"anthropic": None},
            {"anthropic": {"blocks": {}}},
            {"anthropic": "x"},
        ],
    )
    def test_a_message_may_have_none(self, data: Any) -> None:
        found = Thoughts(Message.assistant("", tool_calls=[ToolCall("f", {}, "a", provider_data=data)]))
        assert not found
        assert not Thoughts(Message.assistant("Hi"))

    def test_they_may_be_kept_with_a_later_call(self) -> None:
        data = replay_data([ONE], lambda: Prefix(SERVER))
        calls = [ToolCall("f", {}, "a"), ToolCall("f", {}, "b", provider_data=data)]
        assert Thoughts(Message.assistant("", tool_calls=calls))


class TestAround:
    def test_each_goes_back_to_its_place(self) -> None:
        found = thoughts(ONE, 3, TWO, None, 2, ONE, None).around("Hé!no", [USE, LATER], text_blocks)
        assert found == [ONE, said("Hé!"), TWO, USE, said("no"), ONE, LATER]

    @pytest.mark.parametrize(
        ("text", "calls"),
        [("other", [USE]), ("Hé!", []), ("Hé!", [USE, LATER]), ("", [USE])],
    )
    def test_only_those_before_it_where_the_message_is_another(self, text: str, calls: list[Any]) -> None:
        found = thoughts(TWO, ONE, 3, ONE, None).around(text, calls, text_blocks)
        assert found == [TWO, ONE, *text_blocks(text), *calls]

    def test_none_where_text_came_first(self) -> None:
        assert thoughts(3, ONE, None).around("other", [USE], text_blocks) == [said("other"), USE]

    def test_blank_text_is_not_sent(self) -> None:
        assert thoughts(ONE, 2, None).around("\n\n", [USE], text_blocks) == [ONE, USE]
