"""The messages of one turn as text: what a database column and a line of an export hold."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from finalturn._core import json_text
from finalturn._core.errors import MessageFormatError, SessionError
from finalturn._core.json_text import MAX_DEPTH
from finalturn._core.messages import Message
from finalturn._core.type_guards import is_array

__all__ = ["decode_turn", "encode_turn", "read_messages"]

# A turn's array, a message, its calls, a call: so much deeper than what stands in a call.
DEPTH = MAX_DEPTH + 10

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def encode_turn(messages: Sequence[Message]) -> str:
    """A JSON array in ASCII: it fits a text column of any encoding, and a NUL is an escape in it.

    Half of a surrogate pair becomes U+FFFD.

    Raises:
        SessionError: it could not be read back.
    """
    text = json_text.encode([message.to_dict() for message in messages]).decode()
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_escape, text)
    try:
        decode_turn(text)
    except ValueError:
        raise SessionError("the turn was not saved: a message in it could not be read back") from None
    return text


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def decode_turn(text: str) -> tuple[Message, ...]:
    """The messages.

    Raises:
        ValueError: it is not what `encode_turn` writes. Its words may quote the text.
    """
    return read_messages(json_text.decode(text, max_depth=DEPTH))


def read_messages(value: object) -> tuple[Message, ...]:
    """Messages from their plain form.

    Raises:
        MessageFormatError: it is not an array of messages; the field is named.
    """
    if not is_array(value):
        raise MessageFormatError("messages", "must be an array")
    messages: list[Message] = []
    for index, item in enumerate(value):
        try:
            messages.append(Message.from_dict(item))
        except MessageFormatError as error:
            where = f"messages[{index}]"
            where = f"{where}.{error.field}" if error.field else where
            raise MessageFormatError(where, error.problem) from None
    return tuple(messages)
