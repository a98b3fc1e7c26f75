"""The schemas of request bodies, which depend on the agent and the store of a server."""

from __future__ import annotations

from typing import Any

from finalturn._serve.access.owners import SESSION_PATTERN
from finalturn._serve.openapi.parsed import PREFIX
from finalturn._serve.served import Served

__all__ = ["EXAMPLES", "narrow_front_ends", "request_components"]

_QUESTION = "Where is my order?"

EXAMPLES: dict[str, Any] = {
    "chat": {"input": _QUESTION},
    "streamChat": {"input": [{"role": "user", "content": _QUESTION}]},
    "runAgUi": {
        "threadId": "thread-1",
        "runId": "run-1",
        "messages": [{"id": "message-1", "role": "user", "content": _QUESTION}],
        "tools": [],
        "context": [],
        "state": {},
        "forwardedProps": {},
    },
    "chatAiSdk": {
        "id": "chat-1",
        "messages": [{"id": "message-1", "role": "user", "parts": [{"type": "text", "text": _QUESTION}]}],
        "trigger": "submit-message",
    },
}
"""A body for each route that takes one, by operation id."""

_NOT_BLANK = r"\S"
_NULL = {"type": "null"}


def request_components(served: Served) -> dict[str, Any]:
    """The components of a `ChatRequest`: exactly what `read_chat` takes, but for one rule.

    That the last message must be of the user, and say something, JSON Schema cannot express.

    Args:
        served: what is served.
    """
    sessionless = _request(
        served,
        "A turn of a conversation that the client keeps.",
        ["UserMessageInput", "AssistantMessageInput"],
        {"session": _NULL | {"description": "Left out: the server does not keep the turn."}},
    )
    components: dict[str, Any] = {
        "ChatRequest": sessionless,
        "UserMessageInput": _user(served),
        "AssistantMessageInput": _ASSISTANT,
    }
    if served.takes_images:
        components["ImageInput"] = _IMAGE
    if served.keeps_sessions:
        session = {
            "type": "string",
            "pattern": SESSION_PATTERN,
            "description": "The session that the turn continues and is saved to. Any new id begins one.",
        }
        components["ChatRequestInSession"] = _request(
            served,
            "A turn of a conversation that the server keeps.",
            ["UserMessageInput"],
            {"session": session},
        )
        components["ChatRequestInSession"]["required"].append("session")
        components["ChatRequestAlone"] = sessionless
        components["ChatRequest"] = {
            "description": "One turn of a conversation.",
            "oneOf": [_to("ChatRequestInSession"), _to("ChatRequestAlone")],
        }
    return components


def narrow_front_ends(components: dict[str, Any], served: Served) -> None:
    """Say what the bodies of front ends must hold where the server keeps sessions.

    Of their messages the document says no more than that there are some: the formats' own documentation does.

    Args:
        components: are changed.
        served: what is served.
    """
    if not served.keeps_sessions:
        return
    if "AgUiRequest" in components:
        components["AgUiRequest"]["properties"]["threadId"]["pattern"] = SESSION_PATTERN
    if "AiSdkRequest" in components:
        sdk = components["AiSdkRequest"]
        sdk["required"] = ["id", *sdk["required"]]
        descriptions = {name: field.get("description") for name, field in sdk["properties"].items()}
        for name, schema in {
            "id": {"type": "string", "pattern": SESSION_PATTERN},
            "trigger": {"type": "string", "const": "submit-message"},
            "messageId": _NULL,
        }.items():
            sdk["properties"][name] = {**schema, "description": descriptions[name]}


def _request(served: Served, description: str, messages: list[str], more: dict[str, Any]) -> dict[str, Any]:
    message = _to(messages[0]) if len(messages) == 1 else _by_role(messages)
    many = {"type": "array", "items": message, "minItems": 1, "maxItems": served.config.max_messages}
    return {
        "description": description,
        "type": "object",
        "properties": {
            "input": {
                "description": "What the user says. Or messages, of which the last is of the user, and says"
                " something.",
                "anyOf": [{"type": "string", "pattern": _NOT_BLANK}, many],
            },
            **more,
        },
        "required": ["input"],
        "additionalProperties": False,
    }


def _by_role(names: list[str]) -> dict[str, Any]:
    mapping = {name.removesuffix("MessageInput").lower(): PREFIX + name for name in names}
    return {
        "oneOf": [_to(name) for name in names],
        "discriminator": {"propertyName": "role", "mapping": mapping},
    }


def _user(served: Served) -> dict[str, Any]:
    parts: dict[str, Any] = {"type": "array", "maxItems": 0, "description": "This agent takes no images."}
    if served.takes_images:
        parts = {"type": "array", "items": _to("ImageInput"), "description": "Images."}
    return _message(
        "What the user says.",
        "user",
        content_parts=parts,
        structured=_NULL | {"description": "Of messages of the assistant only."},
    )


def _message(description: str, role: str, **more: Any) -> dict[str, Any]:
    return {
        "description": description,
        "type": "object",
        "properties": {"role": {"const": role, "type": "string"}, "content": {"type": "string"}, **more},
        "required": ["role"],
        "additionalProperties": False,
    }


_ASSISTANT = _message(
    "What the assistant has said.",
    "assistant",
    content_parts={"type": "array", "maxItems": 0, "description": "Of messages of the user only."},
    structured={
        "type": ["string", "null"],
        "description": "The JSON text of its structured answer, when the message holds one.",
    },
)


def _image(description: str, required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "description": description,
        "type": "object",
        "properties": {"kind": {"const": "image", "type": "string"}, **properties},
        "required": ["kind", *required],
        "additionalProperties": False,
    }


_IMAGE = {
    "description": "An image.",
    "oneOf": [
        _image(
            "By its URL.",
            ["url"],
            url={
                "type": "string",
                "pattern": "^(https:|data:image/)",
                "description": "An https: URL that the model's provider fetches, or a data: URL.",
            },
            data=_NULL,
            media_type={"type": ["string", "null"]},
        ),
        _image(
            "By its bytes.",
            ["data", "media_type"],
            url=_NULL,
            data={"type": "string", "description": "The bytes as base64 text."},
            media_type={"type": "string", "minLength": 1, "description": "The MIME type, such as image/png."},
        ),
    ],
}


def _to(name: str) -> dict[str, Any]:
    return {"$ref": PREFIX + name}
