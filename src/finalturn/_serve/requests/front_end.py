"""Reads the messages of front ends, whose clients send the whole conversation as they hold it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from finalturn._core import json_text
from finalturn._core.errors import MessageFormatError
from finalturn._core.messages import ContentPart, Message
from finalturn._serve.formats.items import Projection
from finalturn._serve.problems.problem import Problem
from finalturn._serve.served import Served

__all__ = [
    "HeldMessage",
    "Refuse",
    "TurnRequest",
    "always_refuse",
    "check_text",
    "check_url",
    "image",
    "messages_for_agent",
]


Refuse: TypeAlias = Callable[[Problem], None]
"""Is given what is wrong with a part of a message, and raises it, or lets the part be left out."""


@dataclass(frozen=True, slots=True)
class HeldMessage:
    """A message that a client holds.

    Attributes:
        role: who it is from; ``"note"`` for what is no part of the conversation, and ``"other"`` for what no
            request may hold.
        field: a JSON Pointer to it.
        read: makes the same for the agent, or ``None`` where nothing of it is taken.
    """

    role: Literal["user", "assistant", "tool", "note", "other"]
    field: str
    read: Callable[[Refuse], Message | None] = lambda refuse: None


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """The turn that a front end asks for.

    Attributes:
        messages: for the agent.
        session: the client's id of the session; ``None`` where the server keeps none.
        projection: makes the projection of the turn, for the id of its run.
    """

    messages: tuple[Message, ...]
    session: str | None
    projection: Callable[[str], Projection]


def messages_for_agent(held: Sequence[HeldMessage], served: Served) -> tuple[Message, ...]:
    """What the agent is given of a conversation as a client holds it.

    Where the server keeps sessions, that is what the user has said since the last answer: it has the rest.
    Where it does not, it is all that user and assistant have said.

    What must not be in a request is refused when it is new. A client goes on sending what was refused, as it
    sends all that it holds. So of earlier messages it is left out, or a conversation could not go on.

    Raises:
        Problem: the conversation does not end with the user, or the agent would not take what is new.
    """
    if held and held[-1].role == "tool":
        raise Problem.field(held[-1].field, "is the result of a tool: tools run on the server only")
    if held and held[-1].role == "other":
        held[-1].read(_raise)
    if not held or held[-1].role != "user":
        raise Problem.field("/messages", "must end with a message of the user")
    last = len(held) - 1
    begin = 0
    if served.keeps_sessions:
        begin = next((place + 1 for place in range(last, -1, -1) if _is_answer(held[place])), 0)
    else:
        # What came before the user's last message but one was in an earlier request.
        new = next((place + 1 for place in range(last - 1, -1, -1) if held[place].role == "user"), 0)
        for entry in held[new:last]:
            entry.read(_raise)
    taken = [(entry, entry.read(_leave_out)) for entry in held[begin:last]]
    readable = [(entry.field, message) for entry, message in taken if message is not None]
    earlier = [
        (field, accepted) for field, message in readable if (accepted := served.supported_part(message))
    ]
    if (newest := held[last].read(_raise)) is not None:
        earlier.append((held[last].field, newest))
    messages = tuple(message for _, message in earlier)
    served.check_messages(messages, lambda place: earlier[place][0], "/messages")
    return messages


def _is_answer(entry: HeldMessage) -> bool:
    """Whether a message tells that the user has been answered."""
    return entry.role in ("assistant", "tool", "note")


def _raise(problem: Problem) -> None:
    raise problem


def _leave_out(problem: Problem) -> None:
    pass


def always_refuse(field: str, problem: str) -> Callable[[Refuse], None]:
    """What reads a message that no request may hold.

    Args:
        field: a JSON Pointer to what is wrong with it.
        problem: what that is, as the rest of a sentence that begins with the field.
    """
    return lambda refuse: refuse(Problem.field(field, problem))


def check_text(text: str, field: str) -> str:
    """A text of the user, if it is whole.

    Raises:
        Problem: it holds half of a surrogate pair, which JSON can escape, and which is no character.
    """
    if text.isascii() or json_text.without_surrogates(text) == text:
        return text
    raise Problem.field(field, "holds half of a surrogate pair")


def image(make: Callable[[], ContentPart], field: str) -> ContentPart:
    """An image that a client gave.

    Raises:
        Problem: it is none.
    """
    try:
        return make()
    except MessageFormatError as error:
        raise Problem.field(field, error.problem) from None


def check_url(url: str, field: str) -> str:
    """The URL of an image, if it is allowed.

    Raises:
        Problem: it is not.
    """
    if url.startswith(("https:", "data:image/")):
        return url
    raise Problem.field(field, "must be an https: URL, or a data: URL of an image")
