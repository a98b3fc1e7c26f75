"""Reasoning that goes back with a call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.messages import Message, ToolCall
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.replay import DATA, KeptReasoning, reasoning_of

TEXT = Profile(replay="reasoning_content")
NEEDED = Profile(replay="reasoning_content", replay_needed=True)
DETAILS = Profile(replay="reasoning_details")


def piece(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "index": 0, **more}


def kept(profile: Profile, *messages: Any, text: str = "", whole: bool = False) -> dict[str, Any] | None:
    reasoning = KeptReasoning(profile.replay or "", "m")
    reasoning.add_text(text)
    for details in messages:
        reasoning.add_details(details, whole=whole)
    return reasoning.data()


def sent(data: Any, profile: Profile, model: str = "m") -> dict[str, Any]:
    calls = [ToolCall("f", {}, "x"), ToolCall("f", {}, "y", provider_data=data)]
    return reasoning_of(Message.assistant("", tool_calls=calls), profile, model)


class TestText:
    def test_goes_back_in_the_field_of_the_server(self) -> None:
        data = kept(TEXT, text="hm")
        assert data == {DATA: {"text": "hm"}}
        assert sent(data, TEXT) == {"reasoning_content": "hm"}
        # It is no more than text: another server and model may see it.
        assert sent(data, Profile(replay="reasoning"), "other") == {"reasoning": "hm"}

    def test_goes_nowhere_else(self) -> None:
        assert sent(kept(TEXT, text="hm"), Profile()) == {}
        assert sent(kept(TEXT, text="hm"), DETAILS) == {}

    def test_that_is_not_there_is_empty_only_where_it_must_be_there(self) -> None:
        assert kept(TEXT) is None
        assert sent(None, TEXT) == {}
        assert sent(None, NEEDED) == {"reasoning_content": ""}
        assert reasoning_of(Message.assistant("done"), NEEDED, "m") == {"reasoning_content": ""}

    def test_is_joined_before_it_is_cleaned(self) -> None:
        reasoning = KeptReasoning("reasoning", "m")
        for half in ("\ud83d", "\ude00", "\ud83d"):
            reasoning.add_text(half)
        assert reasoning.data() == {DATA: {"text": "\U0001f600\ufffd"}}


class TestDetails:
    def test_pieces_become_one_part_with_its_signature(self) -> None:
        data = kept(
            DETAILS,
            [piece("", signature="", format="anthropic-claude-v1")],
            [piece("Let")],
            [piece(" me.", id=None)],
            [{"type": "reasoning.text", "signature": "SIG", "index": 0}],
            [{"type": "reasoning.summary", "summary": "a", "index": 0}],
            [{"type": "reasoning.summary", "summary": "b", "index": 0}],
            [piece("again", index=1)],
        )
        assert sent(data, DETAILS) == {
            "reasoning_details": [
                piece("Let me.", signature="SIG", format="anthropic-claude-v1", id=None),
                {"type": "reasoning.summary", "summary": "ab", "index": 0},
                piece("again", index=1),
            ]
        }

    def test_what_is_encrypted_is_whole(self) -> None:
        secret = {"type": "reasoning.encrypted", "data": "x", "index": 0}
        assert sent(kept(DETAILS, [secret], [secret]), DETAILS) == {"reasoning_details": [secret, secret]}

    def test_so_is_every_part_of_a_whole_answer(self) -> None:
        parts = [piece("a"), piece("b")]
        assert sent(kept(DETAILS, parts, whole=True), DETAILS) == {"reasoning_details": parts}

    def test_they_go_back_to_their_model_only(self) -> None:
        data = kept(DETAILS, [piece("a")])
        assert sent(data, DETAILS, "other") == {}
        assert "other" not in json.dumps(data)
        assert sent(data, TEXT) == {}

    @pytest.mark.parametrize("given", [None, "x", 7, [], {}, [None], [7], [[]], [{}]])
    def test_what_is_none_is_skipped(self, given: Any) -> None:
        assert kept(DETAILS, given, text="hm") is None

    def test_what_cannot_be_kept_is_let_go(self) -> None:
        deep: Any = "x"
        for _ in range(120):
            deep = [deep]
        assert kept(DETAILS, [piece("a", more=deep)]) is None
        data = kept(DETAILS, [piece("a\ud83d", more=float("nan"))])
        assert sent(data, DETAILS) == {"reasoning_details": [piece("a\ufffd", more=None)]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["type", "text", "summary", "data", "index", "signature"])
PART = st.dictionaries(NAMES, JSON | st.sampled_from(["reasoning.text", 0]), max_size=4)


@given(st.lists(JSON | st.lists(PART, max_size=3), max_size=5), st.booleans())
def test_whatever_comes_the_call_can_carry_it(messages: list[Any], whole: bool) -> None:
    data = kept(DETAILS, *messages, whole=whole)
    call = ToolCall("f", {}, "x", provider_data=data)
    assert ToolCall.from_dict(call.to_dict()) == call
    assert json.dumps(sent(data, DETAILS))
