"""The order of roles that strict servers take."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.openai_chat.encode import BETWEEN, CONTINUE, in_strict_order

# What may follow what, as mistral-common checks it (protocol/instruct/validator.py). Templates that want
# user and model in turn take less: no two users in a row.
FOLLOWS = {
    "": {"system", "user", "assistant"},
    "system": {"user", "assistant"},
    "user": {"assistant"},
    "assistant": {"assistant", "user", "tool"},
    "tool": {"assistant", "tool"},
}


def say(role: str, content: Any = "") -> dict[str, Any]:
    return {"role": role, "content": content or role}


def test_what_is_in_order_stays() -> None:
    messages = [say("system"), say("user"), say("assistant"), say("tool"), say("tool")]
    assert in_strict_order(messages) == messages
    assert in_strict_order([]) == []


def test_system_messages_become_one_at_the_start() -> None:
    messages = [say("system", "a"), say("user"), say("assistant"), say("system", "b"), say("user")]
    assert in_strict_order(messages) == [
        say("system", "a\n\nb"),
        say("user"),
        say("assistant"),
        say("user"),
    ]


def test_what_the_user_says_in_a_row_is_one_message() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    text = {"type": "text", "text": "c"}
    assert in_strict_order([say("user", "a"), say("system"), say("user", "b")]) == [
        say("system"),
        say("user", "a\n\nb"),
    ]
    assert in_strict_order([say("user", [image]), say("user", "b"), say("user", [text])]) == [
        say("user", [image, {"type": "text", "text": "b"}, text])
    ]


def test_the_model_says_something_between_a_result_and_the_user() -> None:
    assert in_strict_order([say("tool"), say("tool"), say("user", "a"), say("user", "b")]) == [
        say("tool"),
        say("tool"),
        say("assistant", BETWEEN),
        say("user", "a\n\nb"),
    ]


def test_the_model_is_never_the_last_to_speak() -> None:
    ended = [say("user", "a"), say("assistant", "b"), say("user", CONTINUE)]
    assert in_strict_order(ended[:2]) == ended
    assert in_strict_order([*ended[:2], say("system")]) == [say("system"), *ended]
    assert in_strict_order([say("system")]) == [say("system"), say("user", CONTINUE)]


def test_nothing_that_is_given_is_changed() -> None:
    messages = [say("user", [say("x")]), say("user", [say("y")])]
    before = json.dumps(messages)
    in_strict_order(messages)
    assert json.dumps(messages) == before


@given(
    st.lists(
        st.builds(say, st.sampled_from(["system", "user", "assistant"]), st.text(max_size=2))
        | st.just(say("tool")),
        max_size=10,
    )
)
def test_whatever_comes_in_strict_servers_take_what_comes_out(messages: list[dict[str, Any]]) -> None:
    # A result stands behind a call or another result: that is seen to before.
    sound = [
        message
        for place, message in enumerate(messages)
        if message["role"] != "tool" or (place and messages[place - 1]["role"] == "assistant")
    ]
    before = ""
    ordered = in_strict_order(sound)
    for message in ordered:
        assert message["role"] in FOLLOWS[before]
        before = message["role"]
    assert not ordered or before in ("user", "tool")
    assert in_strict_order(ordered) == ordered
