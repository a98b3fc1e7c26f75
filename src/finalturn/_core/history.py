"""A conversation as providers accept it.

A history may come from a cancelled turn, an older store or another program. Vendors refuse a whole
request for one call without a result, so the view that encoders send is repaired here; the messages
themselves are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from finalturn._core.messages import Message, Role

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
    from finalturn._core.history_repair import Repair

    repair = Repair()
    for message in messages:
        repair.add(message)
    return repair.finish()


def _is_sound(messages: Sequence[Message]) -> bool:
    awaited: dict[str, str] = {}
    # A long history goes through here with every model call: a member of an enum, and a function of its own
    # for what most messages are, would double the cost.
    tool = Role.TOOL
    for message in messages:
        if message.role is tool:
            name = awaited.pop(message.tool_call_id or "", None)
            if name is None or message.tool_name != name or message.tool_calls:
                return False
        elif awaited:
            return False
        elif message.content:
            if message.content.isspace():
                return False
            if message.tool_calls and not _asks_soundly(message, awaited):
                return False
        elif message.tool_calls:
            if not _asks_soundly(message, awaited):
                return False
        elif not message.content_parts:
            return False
    return not awaited


def _asks_soundly(message: Message, awaited: dict[str, str]) -> bool:
    """Whether its calls are an ASSISTANT's, each with an id of its own and a name; they await results."""
    for call in message.tool_calls:
        if not call.id or call.id in awaited or not VALID_NAME.fullmatch(call.name):
            return False
        awaited[call.id] = call.name
    return message.role is Role.ASSISTANT
