"""The bodies of AI SDK requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeGuard

from pydantic import BaseModel, Field

from finalturn.core import json_text
from finalturn.core._narrow import is_mapping
from finalturn.core.messages import ContentPart, Message, Role
from finalturn.serve._front_end import Asked, Held, check_text, check_url, take
from finalturn.serve._owners import check_client_session
from finalturn.serve._problem import Problem
from finalturn.serve._served import Served
from finalturn.serve.ai_sdk._projection import AiSdk

__all__ = ["AiSdkRequest", "UiMessage", "read_ai_sdk"]


class UiMessage(BaseModel):
    """A message of the AI SDK (``UIMessage``)."""

    role: Literal["system", "user", "assistant"]
    parts: list[dict[str, Any]]
    metadata: Any = None


class AiSdkRequest(BaseModel):
    """What ``DefaultChatTransport`` sends."""

    id: str | None = Field(None, description="The chat: the session, where the server keeps any.")
    messages: list[UiMessage] = Field(description="The conversation, as the client holds it.")
    trigger: Literal["submit-message", "regenerate-message"] = Field(
        "submit-message", description="Only a server that keeps no sessions can regenerate an answer."
    )
    message_id: str | None = Field(
        None, alias="messageId", description="The message that is edited; only without sessions, too."
    )


def read_ai_sdk(body: AiSdkRequest, served: Served) -> Asked:
    """What a client asks for.

    Raises:
        Problem: a field is wrong; it is named.
    """
    session = _session(body) if served.keeps_sessions else None
    served.check_count(len(body.messages), "/messages")
    messages = take([_held(one, f"/messages/{place}") for place, one in enumerate(body.messages)], served)
    return Asked(messages, session, AiSdk)


def _session(body: AiSdkRequest) -> str:
    if body.id is None:
        raise Problem.field("/id", "is needed: this server keeps sessions")
    check_client_session(body.id, "/id")
    if body.trigger == "regenerate-message":
        raise Problem.field("/trigger", "must be submit-message: this server keeps its answers")
    if body.message_id is not None:
        raise Problem.field("/messageId", "must be left out: this server keeps what was said")
    return body.id


def _held(message: UiMessage, field: str) -> Held:
    match message.role:
        case "user":
            return Held("user", field, _user(message.parts, f"{field}/parts"))
        case "assistant":
            return Held("assistant", field, _assistant(message))
        case "system":
            raise Problem.field(f"{field}/role", "must not be system: instructions are the agent's")


def _user(parts: Sequence[Mapping[str, Any]], field: str) -> Message:
    texts: list[str] = []
    images: list[ContentPart] = []
    for place, part in enumerate(parts):
        at = f"{field}/{place}"
        match part.get("type"):
            case "text":
                texts.append(_text(part, "text", at))
            case "file":
                if not _text(part, "mediaType", at).startswith("image/"):
                    raise Problem.field(f"{at}/mediaType", "must be of an image")
                images.append(ContentPart.image_url(check_url(_text(part, "url", at), f"{at}/url")))
            case _:
                raise Problem.field(f"{at}/type", "must be text or file")
    return Message.user("\n\n".join(texts), *images)


def _text(part: Mapping[str, Any], name: str, field: str) -> str:
    value = part.get(name)
    if isinstance(value, str):
        return check_text(value, f"{field}/{name}")
    raise Problem.field(f"{field}/{name}", "must be a text")


def _assistant(message: UiMessage) -> Message | None:
    """What the assistant has said, and the answer, where the client still holds them."""
    shown = [one for one in message.parts if one.get("type") == "text" and not _is_retracted(one)]
    texts = [text for one in shown if _is_said(text := one.get("text"))]
    structured = next(filter(None, map(_structured, message.parts)), None)
    if not texts and structured is None and is_mapping(message.metadata):
        # The projection has put it there, as nothing was shown.
        texts = [text for text in (message.metadata.get("content"),) if _is_said(text)]
    if not texts and structured is None:
        return None
    content = json_text.without_surrogates("\n\n".join(texts))
    return Message(Role.ASSISTANT, content, structured=structured)


def _is_said(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and bool(text)


def _is_retracted(part: Mapping[str, Any]) -> bool:
    metadata: object = part.get("providerMetadata")
    ours: object = metadata.get("finalturn") if is_mapping(metadata) else None
    return is_mapping(ours) and ours.get("retracted") is True


def _structured(part: Mapping[str, Any]) -> str | None:
    data: object = part.get("data")
    if part.get("type") != "data-structured" or not is_mapping(data) or data.get("status") != "ok":
        return None
    try:
        return json_text.encode(data.get("value")).decode()
    except ValueError:
        return None
