"""A conversation as providers accept it.

A history may come from a cancelled turn, an older store or another program. Vendors refuse a whole
request for one call without a result, so the view that encoders send is repaired here; the messages
themselves are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from finalturn.core.messages import Message, Role

__all__ = ["repaired"]

# What every vendor takes as the name of a function.
VALID_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def repaired(messages: Sequence[Message]) -> Sequence[Message]:
    """The view of a conversation that an encoder sends.

    In it, every call has an id that is its own within its response, and a name; its results stand
    directly behind it, one for each call; and no message is empty:

    - A call without a result gets one that says that the call was not completed.
    - A result is matched to the nearest call before it that has its id and no result yet. Without an
      id, it is matched by its tool's name, then by order.
    - A result whose call is gone becomes a USER message that says so. Dropping it would take from the
      model what it may have built its answers on, and inventing a call for it would put words into the
      model's mouth.
    - A name that vendors refuse is replaced by one that they take, on the call and its result.
    - An ASSISTANT message without text says its structured answer; messages with nothing to say are
      left out.

    Returns:
        ``messages`` itself when nothing needs repair.
    """
    if _is_sound(messages):
        return messages
    from finalturn.core._history_repair import Repair

    repair = Repair()
    for message in messages:
        repair.add(message)
    return repair.finish()


def _is_sound(messages: Sequence[Message]) -> bool:
    awaited: dict[str, str] = {}
    for message in messages:
        if message.role is Role.TOOL:
            name = awaited.pop(message.tool_call_id or "", None)
            if name is None or message.tool_name != name or message.tool_calls:
                return False
        elif awaited or not _says_something(message):
            return False
        elif message.tool_calls:
            awaited = {call.id: call.name for call in message.tool_calls if call.id}
            if message.role is not Role.ASSISTANT or len(awaited) != len(message.tool_calls):
                return False
            if not all(VALID_NAME.fullmatch(name) for name in awaited.values()):
                return False
    return not awaited


def _says_something(message: Message) -> bool:
    if message.content:
        return not message.content.isspace()
    return bool(message.tool_calls or message.content_parts)
