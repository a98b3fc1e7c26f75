"""What the requests of front ends have in common: a client that sends the conversation as it holds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from finalturn.core import json_text
from finalturn.core.errors import MessageFormatError
from finalturn.core.messages import ContentPart, Message
from finalturn.serve._problem import Problem
from finalturn.serve._projection import Projection
from finalturn.serve._served import Served

__all__ = ["Asked", "Held", "check_text", "check_url", "image", "take"]


@dataclass(frozen=True, slots=True)
class Held:
    """A message that a client holds.

    Attributes:
        role: who it is from; ``"note"`` for what is no part of the conversation.
        field: a JSON Pointer to it.
        message: the same for the agent; ``None`` where nothing of it is taken.
    """

    role: Literal["user", "assistant", "tool", "note"]
    field: str
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a front end asks for.

    Attributes:
        messages: for the agent.
        session: the client's id of the session; ``None`` where the server keeps none.
        projection: makes the projection of the turn, for the id of its run.
    """

    messages: tuple[Message, ...]
    session: str | None
    projection: Callable[[str], Projection]


def take(held: Sequence[Held], served: Served) -> tuple[Message, ...]:
    """What the agent is given of a conversation as a client holds it.

    Where the server keeps sessions, that is what the user has said since the last answer: it has the rest.
    Where it does not, it is all that user and assistant have said.

    Raises:
        Problem: the conversation does not end with the user, or the agent would not take it.
    """
    if held and held[-1].role == "tool":
        raise Problem.field(held[-1].field, "is the result of a tool: tools run on the server only")
    if not held or held[-1].role != "user":
        raise Problem.field("/messages", "must end with a message of the user")
    since = len(held)
    while since and held[since - 1].role == "user":
        since -= 1
    taken = [(one.message, one.field) for one in held[since if served.keeps_sessions else 0 :]]
    given = [(message, field) for message, field in taken if message is not None]
    messages = tuple(message for message, _ in given)
    served.check_messages(messages, lambda place: given[place][1], "/messages")
    return messages


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
