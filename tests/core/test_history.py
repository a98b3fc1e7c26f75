"""Which conversations are repaired, and that it always helps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.history import repaired
from finalturn._core.messages import Message, Role, ToolCall
from tests.core._conversations import IMAGE, USER, answer, asks, call, problems

SOUND: list[list[Message]] = [
    [],
    [USER],
    [Message.system("s"), USER, Message.system("t"), Message.assistant("a"), Message.user("", IMAGE)],
    [
        USER,
        asks(call("a"), call("b", "g")),
        answer("b", name="g"),
        answer("a", ""),
        Message.assistant("done"),
    ],
    [USER, asks(call("a"), content="let me see"), answer("a"), asks(call("a")), answer("a")],
]


@pytest.mark.parametrize("messages", SOUND)
def test_what_needs_no_repair_is_given_back_itself(messages: list[Message]) -> None:
    assert repaired(messages) is messages
    assert problems(messages) == []


IDS = st.sampled_from([None, "", "a", "b", "call_0", "call_1"])
TOOLS = st.sampled_from(["f", "g", "", "a b"])
TEXTS = st.sampled_from(["", " ", "x", "y"])
CALLS = st.builds(ToolCall, TOOLS, st.just({}), IDS)
MESSAGES = st.one_of(
    st.builds(Message, st.sampled_from([Role.USER, Role.SYSTEM]), TEXTS),
    st.builds(
        Message,
        st.just(Role.ASSISTANT),
        TEXTS,
        st.lists(CALLS, max_size=3).map(tuple),
        content_parts=st.sampled_from([(), (), (IMAGE,)]),
        structured=st.sampled_from([None, None, "{}"]),
    ),
    st.builds(answer, IDS, TEXTS, st.none() | TOOLS),
    st.builds(Message, st.sampled_from(Role), TEXTS, st.sampled_from([(), (call("a"),)])),
)


@given(st.lists(MESSAGES, max_size=10))
def test_whatever_comes_in_strict_vendors_take_what_comes_out(messages: list[Message]) -> None:
    before = list(messages)
    got = repaired(messages)
    assert problems(got) == []
    assert messages == before
    # Once is enough, and what was sound has not been touched.
    assert repaired(got) is got
    assert (got is messages) == (problems(messages) == [])
    # Nothing that a tool said is lost.
    said = "".join(message.content for message in got)
    assert all(message.content.strip() in said for message in messages if message.role is Role.TOOL)


@given(st.lists(MESSAGES, max_size=8), st.integers(0, 8))
def test_a_turn_cancelled_anywhere_can_be_gone_on_with(messages: list[Message], at: int) -> None:
    assert problems(repaired([*messages[:at], USER])) == []
