"""What rides on a call, and who gets it back."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from finalturn._core.messages import ToolCall
from finalturn._providers.openai_responses.place import Item
from finalturn._providers.openai_responses.replay import KEY, items_before_call, origin_of, replay_data

THOUGHT: dict[str, Any] = {"type": "reasoning", "summary": [], "encrypted_content": "gA"}


def thought() -> Item:
    item = Item("reasoning")
    item.replay = dict(THOUGHT)
    return item


def said(phase: str = "", *pieces: str) -> Item:
    item = Item("message")
    item.phase, item.pieces = phase, list(pieces)
    return item


class TestData:
    def test_without_reasoning_or_a_phase_there_is_none(self) -> None:
        assert replay_data([], "o") is None
        assert replay_data([said("", "a"), Item("reasoning"), Item("web_search_call")], "o") is None
        assert replay_data([said("commentary")], "o") is None

    def test_it_keeps_the_order_and_no_text(self) -> None:
        assert replay_data([said("", "a"), thought(), said("commentary", "b")], "o") == {
            KEY: {
                "origin": "o",
                "before": [{"type": "message"}, THOUGHT, {"type": "message", "phase": "commentary"}],
            }
        }


class TestKept:
    def test_it_goes_back_to_where_it_came_from(self) -> None:
        call = ToolCall("f", provider_data=replay_data([thought()], "o"))
        assert items_before_call(call, "o") == [THOUGHT]
        assert items_before_call(call, "another") == []

    DATA: ClassVar[list[dict[str, Any] | None]] = [
        None,
        {},
        {"extra_content": {"x": 1}},
        {KEY: None},
        {KEY: "o"},
        {KEY: {"before": [THOUGHT]}},
        {KEY: {"origin": 7, "before": [THOUGHT]}},
        {KEY: {"origin": "o"}},
        {KEY: {"origin": "o", "before": "x"}},
        {KEY: {"origin": "o", "before": [None, 7, {}]}},
    ]

    @pytest.mark.parametrize("data", DATA)
    def test_anything_else_is_nothing(self, data: dict[str, Any] | None) -> None:
        assert items_before_call(ToolCall("f", provider_data=data), "o") == []


class TestOrigin:
    def test_it_tells_servers_and_models_apart(self) -> None:
        urls = [
            "https://a/v1/responses",
            "https://b/v1/responses",
            "https://a:1/v1/responses",
            "https://a/v2/responses",
        ]
        assert len({origin_of(url, model) for url in urls for model in ("m", "n")}) == 8

    def test_who_asks_and_how_does_not_matter(self) -> None:
        plain = origin_of("https://a/v1/responses", "m")
        assert origin_of("https://me:secret@a/v1/responses?api-version=1", "m") == plain

    def test_it_gives_nothing_away(self) -> None:
        assert set(origin_of("https://abc.internal/v1", "m\ud800")) <= set("0123456789abcdef")
