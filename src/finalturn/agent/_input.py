"""What a caller may give as input, and the checks that need no model."""

from __future__ import annotations

from collections.abc import Sequence

from finalturn.core.errors import ConfigurationError, MessageFormatError
from finalturn.core.messages import Message, Role


def read_input(given: str | Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Split an input into prior history and this turn's USER messages, its trailing run of them.

    Raises:
        MessageFormatError: something in it is not a Message.
        ConfigurationError: it asks nothing.
    """
    if isinstance(given, str):
        if not given.strip():
            raise ConfigurationError("the input is empty; give the user's text, or messages")
        return (), (Message.user(given),)
    messages = tuple(given)
    for index, message in enumerate(messages):
        _expect_message(message, index)
    start = len(messages)
    while start and messages[start - 1].role is Role.USER:
        start -= 1
    if start == len(messages):
        raise ConfigurationError("the input must end with a USER message: there is nothing to answer")
    return messages[:start], messages[start:]


def _expect_message(given: object, index: int) -> None:
    if isinstance(given, Message):
        return
    found = type(given).__name__
    hint = "; read it with Message.from_dict()" if isinstance(given, dict) else ""
    raise MessageFormatError(f"input[{index}]", f"is a {found}, not a Message{hint}")
