"""The bodies of native requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from finalturn._core.errors import MessageFormatError
from finalturn._core.messages import ContentPart, Message, Role
from finalturn._serve.access.owners import SESSION_PATTERN, check_client_session
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.front_end import check_text
from finalturn._serve.served import Served

__all__ = ["ChatRequest", "ClientMessage", "read_chat"]

_STRICT = ConfigDict(extra="forbid", strict=True)


class ClientImage(BaseModel):
    """An image: where it is, or its bytes as base64 text."""

    model_config = _STRICT

    kind: Literal["image"]
    url: str | None = Field(
        None, description="An https: URL that the model's provider fetches, or a data: URL."
    )
    data: str | None = Field(None, description="The image's bytes as base64 text. Give either url or data.")
    media_type: str | None = Field(None, description="The image's MIME type; needed with data.")


class ClientMessage(BaseModel):
    """A message that a client may send."""

    model_config = _STRICT

    role: Literal["user", "assistant"] = Field(
        description="Who it is from. In a session, only messages of the user are taken."
    )
    content: str = ""
    content_parts: list[ClientImage] = Field(default_factory=list[ClientImage])
    structured: str | None = Field(
        None, description="Of a message of the assistant, the JSON text of its structured answer."
    )


class ChatRequest(BaseModel):
    """One turn of a conversation."""

    model_config = _STRICT

    input: Annotated[
        str | list[ClientMessage],
        Field(description="What the user says; or messages, of which the user's at the end are this turn's."),
    ]
    session: Annotated[
        str | None,
        Field(
            description="The session that the turn continues and is saved to. Any new id begins one.",
            json_schema_extra={"pattern": SESSION_PATTERN},
        ),
    ] = None


def read_chat(body: ChatRequest, served: Served) -> tuple[Message, ...]:
    """The messages of a request, in order.

    Raises:
        Problem: a field is wrong; it is named.
    """
    if body.session is not None:
        if not served.keeps_sessions:
            raise Problem.field("/session", "must be left out: this server keeps no sessions")
        check_client_session(body.session, "/session")
    if isinstance(body.input, str):
        messages: tuple[Message, ...] = (Message.user(check_text(body.input, "/input")),)
        served.check_messages(messages, lambda place: "/input", "/input")
        return messages
    messages = tuple(
        _message(message, f"/input/{place}", in_session=body.session is not None)
        for place, message in enumerate(body.input)
    )
    served.check_messages(messages, "/input/{}".format, "/input")
    return messages


def _message(message: ClientMessage, field: str, *, in_session: bool) -> Message:
    if message.role == "user":
        if message.structured is not None:
            raise Problem.field(f"{field}/structured", "is of messages of the assistant only")
    elif in_session:
        raise Problem.field(
            f"{field}/role", "must be user: in a session the server knows what the assistant said"
        )
    elif message.content_parts:
        raise Problem.field(f"{field}/content_parts", "is of messages of the user only")
    parts = tuple(
        _image(part, f"{field}/content_parts/{place}") for place, part in enumerate(message.content_parts)
    )
    content = check_text(message.content, f"{field}/content")
    structured = message.structured
    if structured is not None:
        structured = check_text(structured, f"{field}/structured")
    return Message(Role(message.role), content, content_parts=parts, structured=structured)


def _image(image: ClientImage, field: str) -> ContentPart:
    if image.url is not None and not image.url.startswith(("https:", "data:image/")):
        raise Problem.field(f"{field}/url", "must be an https: URL, or a data: URL of an image")
    try:
        return ContentPart(**image.model_dump())
    except MessageFormatError as error:
        raise Problem.field(f"{field}/{error.field}", error.problem) from None
