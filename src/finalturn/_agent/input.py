"""Reads the input of a turn, a text or messages, and splits the history from what the user says now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError, MessageFormatError
from finalturn._core.messages import Message, Role
from finalturn._core.type_guards import is_dict

_WITHOUT_ORDER = (bytes, bytearray, memoryview, Mapping, Set)
"""What can be iterated, and holds no messages in an order."""


def read_input(content: str | Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Split an input into prior history and this turn's USER messages, its trailing run of them.

    Args:
        content: a text, or messages in any ordered collection; an iterator is read once.

    Raises:
        MessageFormatError: it is something else, or something in it is not a Message.
        ConfigurationError: it asks nothing.
    """
    if isinstance(content, str):
        if not content.strip():
            raise ConfigurationError("the input is empty; give the user's text, or messages")
        return (), (Message.user(content),)
    messages = _in_order(content)
    if set(map(type, messages)) != {Message}:
        # A long history of plain messages is not gone through one by one.
        for index, message in enumerate(messages):
            _expect_message(message, index)
    start = len(messages)
    while start and messages[start - 1].role is Role.USER:
        start -= 1
    if start == len(messages):
        raise ConfigurationError("the input must end with a USER message: there is nothing to answer")
    user = messages[start:]
    if not any(message.content.strip() or message.content_parts for message in user):
        raise ConfigurationError("the USER messages at the input's end are empty: there is nothing to answer")
    return messages[:start], user


def _in_order(value: Any) -> tuple[Any, ...]:
    kind = described(value)
    if not isinstance(value, _WITHOUT_ORDER) and hasattr(value, "__iter__"):
        return tuple(value)
    hint = "; put it in a list" if isinstance(value, Message) else ""
    raise MessageFormatError("input", f"is {kind}, not a str or a list of Messages{hint}")


def _expect_message(value: object, index: int) -> None:
    if isinstance(value, Message):
        return
    hint = "; read it with Message.from_dict()" if is_dict(value) else ""
    raise MessageFormatError(f"input[{index}]", f"is {described(value)}, not a Message{hint}")
