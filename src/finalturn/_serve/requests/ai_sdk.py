"""The bodies of AI SDK requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeGuard

from pydantic import BaseModel, Field, ValidationError

from finalturn._core import json_text
from finalturn._core.messages import ContentPart, Message, Role
from finalturn._core.type_guards import is_mapping
from finalturn._serve.access.owners import check_client_session
from finalturn._serve.formats.ai_sdk import AiSdk
from finalturn._serve.problems.invalid import validation_problem
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.front_end import (
    HeldMessage,
    Refuse,
    TurnRequest,
    always_refuse,
    check_text,
    check_url,
    messages_for_agent,
)
from finalturn._serve.served import Served

__all__ = ["AiSdkRequest", "UiMessage", "read_ai_sdk"]


class UiMessage(BaseModel):
    """A message of the AI SDK (``UIMessage``)."""

    role: Literal["system", "user", "assistant"]
    parts: list[dict[str, Any]]
    metadata: Any = None


class AiSdkRequest(BaseModel):
    """What ``DefaultChatTransport`` sends."""

    id: str | None = Field(None, description="The chat: the session, where the server keeps any.")
    messages: list[dict[str, Any]] = Field(description="The conversation, as the client holds it.")
    trigger: Literal["submit-message", "regenerate-message"] = Field(
        "submit-message", description="Only a server that keeps no sessions can regenerate an answer."
    )
    message_id: str | None = Field(
        None, alias="messageId", description="The message that is edited; only without sessions, too."
    )


def read_ai_sdk(body: AiSdkRequest, served: Served) -> TurnRequest:
    """What a client asks for.

    Raises:
        Problem: a field is wrong; it is named.
    """
    session = _session(body) if served.keeps_sessions else None
    messages = messages_for_agent(
        [_held_message(body.messages, place) for place in range(len(body.messages))], served
    )
    return TurnRequest(messages, session, AiSdk)


def _session(body: AiSdkRequest) -> str:
    if body.id is None:
        raise Problem.field("/id", "is needed: this server keeps sessions")
    check_client_session(body.id, "/id")
    if body.trigger == "regenerate-message":
        raise Problem.field("/trigger", "must be submit-message: this server keeps its answers")
    if body.message_id is not None:
        raise Problem.field("/messageId", "must be left out: this server keeps what was said")
    return body.id


def _held_message(messages: Sequence[Mapping[str, Any]], place: int) -> HeldMessage:
    field = f"/messages/{place}"

    def read(refuse: Refuse) -> Message | None:
        try:
            message = UiMessage.model_validate(messages[place])
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=False, include_input=False)
            located = [{**detail, "loc": ("body", "messages", place, *detail["loc"])} for detail in errors]
            refuse(validation_problem(located, {"messages": messages}))
            return None
        if message.role == "user":
            return _user(message.parts, f"{field}/parts", refuse)
        return _assistant(message)

    match messages[place].get("role"):
        case "user":
            return HeldMessage("user", field, read)
        case "assistant":
            return HeldMessage("assistant", field, read)
        case "system":
            problem = "must not be system: instructions are the agent's"
            return HeldMessage("other", field, always_refuse(f"{field}/role", problem))
        case _:
            return HeldMessage("other", field, read)


def _user(parts: Sequence[Mapping[str, Any]], field: str, refuse: Refuse) -> Message:
    texts: list[str] = []
    images: list[ContentPart] = []
    for place, part in enumerate(parts):
        at = f"{field}/{place}"
        try:
            match part.get("type"):
                case "text":
                    texts.append(_text(part, "text", at))
                case "file":
                    if not _text(part, "mediaType", at).startswith("image/"):
                        raise Problem.field(f"{at}/mediaType", "must be of an image")
                    images.append(ContentPart.image_url(check_url(_text(part, "url", at), f"{at}/url")))
                case _:
                    raise Problem.field(f"{at}/type", "must be text or file")
        except Problem as problem:
            refuse(problem)
    return Message.user("\n\n".join(texts), *images)


def _text(part: Mapping[str, Any], name: str, field: str) -> str:
    value = part.get(name)
    if isinstance(value, str):
        return check_text(value, f"{field}/{name}")
    raise Problem.field(f"{field}/{name}", "must be a text")


def _assistant(message: UiMessage) -> Message | None:
    """What the assistant has said, and the answer, where the client still holds them."""
    shown = [part for part in message.parts if part.get("type") == "text" and not _is_retracted(part)]
    texts = [text for part in shown if _is_nonempty_text(text := part.get("text"))]
    structured = next(filter(None, map(_structured, message.parts)), None)
    if not texts and structured is None and is_mapping(message.metadata):
        # The projection has put it there, as nothing was shown.
        texts = [text for text in (message.metadata.get("content"),) if _is_nonempty_text(text)]
    if not texts and structured is None:
        return None
    content = json_text.without_surrogates("\n\n".join(texts))
    return Message(Role.ASSISTANT, content, structured=structured)


def _is_nonempty_text(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and bool(text)


def _is_retracted(part: Mapping[str, Any]) -> bool:
    metadata: object = part.get("providerMetadata")
    data: object = metadata.get("finalturn") if is_mapping(metadata) else None
    return is_mapping(data) and data.get("retracted") is True


def _structured(part: Mapping[str, Any]) -> str | None:
    data: object = part.get("data")
    if part.get("type") != "data-structured" or not is_mapping(data) or data.get("status") != "ok":
        return None
    try:
        return json_text.encode(data.get("value")).decode()
    except ValueError:
        return None
