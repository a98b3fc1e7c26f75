"""What is kept with an immutable object, and what becomes of it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace

from finalturn._core.memo import Form, memoized, memoized_plain
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ToolSpec

FORM, OTHER = Form(), Form()


class Counted:
    """Makes something of a message, and counts how often."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __call__(self, message: Message) -> bytes:
        self.made.append(message.content)
        return message.content.encode()


def test_a_form_is_made_once_for_each_object() -> None:
    make, messages = Counted(), [Message.user("a"), Message.user("b")]
    for _ in range(2):
        assert memoized(messages, FORM, make) == [b"a", b"b"]
    assert make.made == ["a", "b"]


def test_a_message_that_is_new_is_made_alone() -> None:
    make, first = Counted(), Message.user("a")
    memoized([first], FORM, make)
    assert memoized([first, Message.user("b")], FORM, make) == [b"a", b"b"]
    assert make.made == ["a", "b"]


def test_another_form_is_another_result_and_takes_its_place() -> None:
    make, message = Counted(), Message.user("a")
    for form in (FORM, OTHER, OTHER, FORM):
        memoized([message], form, make)
    assert make.made == ["a"] * 3


def test_it_is_no_part_of_the_object() -> None:
    message = Message.assistant("a", tool_calls=[ToolCall("f", {"x": [1]}, "1")])
    plain = Message.from_dict(message.to_dict())
    memoized([message], FORM, Counted())
    assert message == plain
    assert hash(message) == hash(plain)
    assert repr(message) == repr(plain)
    assert message.to_dict() == plain.to_dict()
    assert [field.name for field in fields(message)] == [field.name for field in fields(plain)]
    assert pickle.dumps(message) == pickle.dumps(plain)
    assert not hasattr(message, "__dict__")


def test_no_copy_takes_it_along() -> None:
    make, message = Counted(), Message.user("a")
    memoized([message], FORM, make)
    copies = [
        replace(message, content="b"),
        copy.copy(message),
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),
        Message.from_dict(message.to_dict()),
    ]
    assert memoized(copies, FORM, make) == [b"b", b"a", b"a", b"a", b"a"]
    assert make.made == ["a", "b", "a", "a", "a", "a"]


def test_tool_specs_keep_their_form_too() -> None:
    spec = ToolSpec("f", "", {})
    assert memoized([spec], FORM, lambda tool: tool.name.encode()) == [b"f"]
    assert memoized([spec], FORM, lambda tool: b"again") == [b"f"]


class TestPlain:
    @staticmethod
    def short(message: Message) -> bool:
        return len(message.content) == 1

    def test_where_all_are_plain_it_is_as_ever(self) -> None:
        make, messages = Counted(), [Message.user("a"), Message.user("b")]
        for _ in range(2):
            assert memoized_plain(messages, FORM, make, self.short) == [b"a", b"b"]
        assert make.made == ["a", "b"]

    def test_what_is_known_to_be_plain_is_not_looked_at_again(self) -> None:
        make, messages = Counted(), [Message.user("a")]
        memoized_plain(messages, FORM, make, self.short)
        assert memoized_plain(messages, FORM, make, lambda message: False) == [b"a"]
        assert memoized_plain(messages, OTHER, make, lambda message: False) is None

    def test_one_that_is_not_plain_is_none_of_its_business(self) -> None:
        make, messages = Counted(), [Message.user("a"), Message.user("long")]
        assert memoized_plain(messages, FORM, make, self.short) is None
        assert memoized(messages, FORM, make) == [b"a", b"long"]
        assert memoized_plain(messages, FORM, make, self.short) is None
        assert make.made == ["a", "long"]
