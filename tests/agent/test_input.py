"""What a caller may give as input."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ConfigurationError, ContentPart, Message, MessageFormatError, Role
from finalturn._agent.input import read_input

HI, BYE = Message.user("hi"), Message.user("bye")
SAID = Message.assistant("said")
IMAGE = Message.user("", ContentPart.image_url("https://example.org/a.png"))


def test_a_text_is_a_user_message() -> None:
    assert read_input(" hi ") == ((), (Message.user(" hi "),))


@pytest.mark.parametrize(
    ("given", "history", "user"),
    [
        ([HI], (), (HI,)),
        ((HI, BYE), (), (HI, BYE)),
        ([HI, SAID, BYE], (HI, SAID), (BYE,)),
        ([HI, SAID, HI, BYE], (HI, SAID), (HI, BYE)),
        ([Message.system("be kind"), HI], (Message.system("be kind"),), (HI,)),
        ([IMAGE], (), (IMAGE,)),
        ([Message.user(""), HI], (), (Message.user(""), HI)),
    ],
)
def test_the_trailing_user_messages_are_this_turns(given: Any, history: Any, user: Any) -> None:
    assert read_input(given) == (history, user)


def test_an_iterator_is_read_once_and_whole() -> None:
    assert read_input(message for message in [HI, SAID, BYE]) == ((HI, SAID), (BYE,))  # type: ignore[arg-type]


def test_the_callers_list_is_neither_changed_nor_kept() -> None:
    given = [HI, SAID, BYE]
    history, user = read_input(given)
    given.clear()
    assert (history, user) == ((HI, SAID), (BYE,))


@pytest.mark.parametrize("given", ["", " \n\t"])
def test_an_empty_text_asks_nothing(given: str) -> None:
    with pytest.raises(ConfigurationError, match="the input is empty"):
        read_input(given)


@pytest.mark.parametrize("given", [[], [HI, SAID], [Message.system("be kind")], [Message(Role.TOOL, "out")]])
def test_messages_end_with_the_users(given: list[Message]) -> None:
    with pytest.raises(ConfigurationError, match="must end with a USER message"):
        read_input(given)


def test_user_messages_without_anything_in_them_ask_nothing() -> None:
    with pytest.raises(ConfigurationError, match="are empty"):
        read_input([HI, SAID, Message.user(" "), Message.user("")])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([{"role": "user", "content": "hi"}], r"input\[0\]: is a dict, .*Message.from_dict"),
        ([HI, "hi"], r"input\[1\]: is a str, not a Message$"),
        ([HI, None], r"input\[1\]: is None"),
        ({"role": "user", "content": "hi"}, "input: is a dict, not a str or a list of Messages$"),
        ({HI}, "input: is a set"),
        (HI, "input: is a Message, .*; put it in a list"),
        (b"hi", "input: is a bytes"),
        (bytearray(b"hi"), "input: is a bytearray"),
        (memoryview(b"hi"), "input: is a memoryview"),
        (None, "input: is None"),
        (7, "input: is an int"),
    ],
)
def test_what_is_no_message_is_refused(given: Any, problem: str) -> None:
    with pytest.raises(MessageFormatError, match=problem):
        read_input(given)
