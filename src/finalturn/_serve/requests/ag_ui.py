"""The bodies of AG-UI requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ag_ui.core import AssistantMessage, DataSource, ImagePart, TextPart, UrlSource, UserMessage
from ag_ui.core import Message as AgUiMessage
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from finalturn._core import json_text
from finalturn._core.messages import ContentPart, Message, Role
from finalturn._core.type_guards import is_mapping
from finalturn._serve.access.owners import check_client_session
from finalturn._serve.formats.ag_ui import AgUi
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.front_end import (
    HeldMessage,
    Refuse,
    TurnRequest,
    always_refuse,
    check_text,
    check_url,
    image,
    messages_for_agent,
)
from finalturn._serve.served import Served

__all__ = ["AgUiRequest", "read_ag_ui"]

_MESSAGE: TypeAdapter[AgUiMessage] = TypeAdapter(AgUiMessage)


class AgUiRequest(BaseModel):
    """What an AG-UI 1.0 client sends (``RunAgentInput``).

    ``tools``, ``state``, ``context`` and ``forwardedProps`` are ignored: tools run on the server, and what
    the model is told is the agent's.
    """

    thread_id: str = Field(
        alias="threadId", description="The conversation: the session, where the server keeps any."
    )
    run_id: str = Field(alias="runId", description="The client's id of the run; it comes back in the events.")
    messages: list[dict[str, Any]] = Field(description="The conversation, as AG-UI messages.")


def read_ag_ui(body: AgUiRequest, served: Served) -> TurnRequest:
    """What a client asks for.

    Raises:
        Problem: a field is wrong; it is named.
    """
    session = check_client_session(body.thread_id, "/threadId") if served.keeps_sessions else None
    check_text(body.run_id, "/runId")
    check_text(body.thread_id, "/threadId")
    messages = messages_for_agent(
        [_held_message(message, f"/messages/{place}") for place, message in enumerate(body.messages)], served
    )

    def projection(run_id: str) -> AgUi:
        return AgUi(run_id, thread_id=body.thread_id, client_run_id=body.run_id)

    return TurnRequest(messages, session, projection)


def _held_message(fields: Mapping[str, Any], field: str) -> HeldMessage:
    def read(refuse: Refuse) -> Message | None:
        try:
            match _parsed(fields, field):
                case UserMessage() as message:
                    return _user(message, field, refuse)
                case AssistantMessage() as message:
                    return _assistant(message)
                case _:
                    return None
        except Problem as problem:
            refuse(problem)
            return None

    match fields.get("role"):
        case "user" | "assistant" | "tool" as role:
            return HeldMessage(role, field, read)
        case "activity" | "reasoning":
            return HeldMessage("note", field, read)
        case "system" | "developer":
            problem = "must not be system or developer: the agent has its own"
            return HeldMessage("other", field, always_refuse(f"{field}/role", problem))
        case _:
            return HeldMessage("other", field, read)


def _parsed(fields: Mapping[str, Any], field: str) -> AgUiMessage:
    try:
        return _MESSAGE.validate_python(fields)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if details["type"].startswith("union_tag"):
            raise Problem.field(f"{field}/role", "is no role of AG-UI 1.0") from None
        # The first part of a location is the role, by which the kind of message is told.
        name = details["loc"][1] if len(details["loc"]) > 1 else ""
        raise Problem.field(f"{field}/{name}", "is not what AG-UI 1.0 has there") from None


def _user(message: UserMessage, field: str, refuse: Refuse) -> Message:
    if isinstance(message.content, str):
        return Message.user(check_text(message.content, f"{field}/content"))
    texts: list[str] = []
    images: list[ContentPart] = []
    for place, part in enumerate(message.content):
        at = f"{field}/content/{place}"
        try:
            match part:
                case TextPart(text=text):
                    texts.append(check_text(text, f"{at}/text"))
                case ImagePart(source=source):
                    images.append(_image(source, f"{at}/source"))
                case _:
                    raise Problem.field(f"{at}/type", "must be text or image")
        except Problem as problem:
            refuse(problem)
    return Message.user("\n\n".join(texts), *images)


def _image(source: object, field: str) -> ContentPart:
    match source:
        case DataSource(value=data, mime_type=media_type):
            return image(lambda: ContentPart.image_base64(data, media_type), f"{field}/mimeType")
        case UrlSource(value=url):
            return ContentPart.image_url(check_url(url, f"{field}/value"))
        case _:
            raise Problem.field(f"{field}/type", "must be data or url")


def _assistant(message: AssistantMessage) -> Message | None:
    """What the assistant has said, and the answer that the projection has left in the metadata."""
    data: object = (message.metadata or {}).get("finalturn")
    fields: Mapping[str, Any] = data if is_mapping(data) else {}
    content = _text(message.content) or ""
    structured = _text(fields.get("structured"))
    if not content and structured is None:
        return None
    return Message(Role.ASSISTANT, content, structured=structured)


def _text(value: object) -> str | None:
    return json_text.without_surrogates(value) if isinstance(value, str) else None
