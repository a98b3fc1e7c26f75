"""What a conversation is made of: roles, content parts, tool calls, messages.

Everything here is deep-frozen: a message can be shared between turns and threads, and encoded once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from finalturn.core import _message_dict
from finalturn.core._frozen import freeze
from finalturn.core._narrow import is_array, is_mapping
from finalturn.core.errors import MessageFormatError

__all__ = ["ContentPart", "Message", "Role", "ToolCall"]


class Role(StrEnum):
    """Who a message is from."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ContentPart:
    """A part of a message that is not text: an image.

    Make one with :meth:`image_url` or :meth:`image_base64`.

    Attributes:
        kind: always ``"image"``.
        url: where the image is (``https:`` or ``data:``), or ``None``.
        data: the image's bytes as base64 text, or ``None``. Exactly one of ``url`` and ``data`` is set.
        media_type: the image's MIME type; needed with ``data``.
    """

    kind: Literal["image"]
    url: str | None = None
    data: str | None = None
    media_type: str | None = None

    def __post_init__(self) -> None:
        if self.kind != "image":
            raise MessageFormatError("kind", "must be 'image'")
        for name in ("url", "data", "media_type"):
            _expect_str(getattr(self, name), name, optional=True)
        if (self.url is None) == (self.data is None):
            raise MessageFormatError("url", "an image has either a url or data")
        if self.data is not None and not self.media_type:
            raise MessageFormatError("media_type", "is needed with data, such as 'image/png'")

    @classmethod
    def image_url(cls, url: str) -> ContentPart:
        """An image that the provider fetches, or a ``data:`` URL."""
        return cls("image", url=url)

    @classmethod
    def image_base64(cls, data: str, media_type: str) -> ContentPart:
        """An image given as base64 text, with its MIME type."""
        return cls("image", data=data, media_type=media_type)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; what is ``None`` is left out."""
        return _message_dict.part_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ContentPart:
        """The inverse of :meth:`to_dict`.

        Raises:
            MessageFormatError: a field is unknown, missing or of the wrong type; it is named.
        """
        return cls(**_message_dict.known_fields(cls, data, required=("kind",)))


class _Written(NamedTuple):
    """Arguments as the model wrote them, and what they were read as."""

    text: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to run a tool.

    Attributes:
        name: the tool's name, as the model wrote it.
        arguments: a JSON object, deep-frozen; ``{}`` when what the model wrote was not one.
        id: the provider's id of the call; ``None`` for a call that was written as text.
        error: why the call cannot run (its arguments were malformed or cut), or ``None``.
        provider_data: opaque JSON that the provider wants back with the call, or ``None``.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str | None = None
    error: str | None = None
    provider_data: Mapping[str, Any] | None = None
    # The arguments as the model wrote them: numbers and dates validate from the text, not from floats.
    _text: str | _Written | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        _expect_str(self.name, "name")
        _expect_str(self.id, "id", optional=True)
        _expect_str(self.error, "error", optional=True)
        _freeze_mapping(self, "arguments")
        if self.provider_data is not None:
            _freeze_mapping(self, "provider_data")
        if isinstance(self._text, str):
            object.__setattr__(self, "_text", _Written(self._text, self.arguments))
        elif self._text is not None and self._text.arguments is not self.arguments:
            # dataclasses.replace() has given the call other arguments: they are not what the model wrote.
            object.__setattr__(self, "_text", None)

    def arguments_json(self) -> str:
        """The arguments as JSON text: the model's own where it is known."""
        if isinstance(self._text, _Written):
            return self._text.text
        return _message_dict.arguments_json(self.arguments)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; what is ``None`` is left out."""
        return _message_dict.call_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolCall:
        """The inverse of :meth:`to_dict`.

        Raises:
            MessageFormatError: a field is unknown, missing or of the wrong type; it is named.
        """
        return cls(**_message_dict.known_fields(cls, data, required=("name",)))


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Deep-frozen.

    Attributes:
        role: who it is from; a plain string such as ``"user"`` is taken too.
        content: its text.
        tool_calls: the calls that an ASSISTANT message asks for.
        tool_name: of a TOOL message, the tool that it answers for.
        tool_call_id: of a TOOL message, the call that it answers; ``None`` for a call written as text.
        tool_result: of a TOOL message, the result's text exactly when the tool ran and returned, the
            empty string included; ``None`` when it failed or was not run, and ``content`` says why.
        content_parts: what is not text; it stands after ``content``.
        structured: the JSON text of the structured answer that this message ends the turn with.

    Raises:
        MessageFormatError: a field has the wrong type; it is named.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_result: str | None = None
    content_parts: tuple[ContentPart, ...] = ()
    structured: str | None = None

    def __post_init__(self) -> None:
        if type(self.role) is not Role:
            object.__setattr__(self, "role", _role(self.role))
        _expect_str(self.content, "content")
        for name in ("tool_name", "tool_call_id", "tool_result", "structured"):
            _expect_str(getattr(self, name), name, optional=True)
        _expect_items(self, "tool_calls", ToolCall)
        _expect_items(self, "content_parts", ContentPart)

    @classmethod
    def system(cls, content: str) -> Message:
        """A SYSTEM message."""
        return cls(Role.SYSTEM, content)

    @classmethod
    def user(cls, content: str, *parts: ContentPart) -> Message:
        """A USER message, with images after its text."""
        return cls(Role.USER, content, content_parts=parts)

    @classmethod
    def assistant(cls, content: str, *, tool_calls: Sequence[ToolCall] = ()) -> Message:
        """An ASSISTANT message."""
        return cls(Role.ASSISTANT, content, tool_calls=tuple(tool_calls))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types. ``from_dict(to_dict(m)) == m`` for every message."""
        return _message_dict.message_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """The inverse of :meth:`to_dict`; nothing is rewritten.

        Raises:
            MessageFormatError: a field is unknown, missing or of the wrong type; it is named.
        """
        fields = _message_dict.known_fields(cls, data, required=("role",))
        fields["tool_calls"] = _message_dict.read_items(fields, "tool_calls", ToolCall.from_dict)
        fields["content_parts"] = _message_dict.read_items(fields, "content_parts", ContentPart.from_dict)
        return cls(**fields)


def _role(value: object) -> Role:
    try:
        return Role(value)  # type: ignore[arg-type]
    except ValueError:
        raise MessageFormatError("role", f"must be one of {', '.join(Role)}") from None


def _expect_str(value: object, name: str, *, optional: bool = False) -> None:
    if isinstance(value, str) or (optional and value is None):
        return
    wanted = "a str or None" if optional else "a str"
    raise MessageFormatError(name, f"must be {wanted}, not {type(value).__name__}")


def _expect_items(message: Message, name: str, kind: type) -> None:
    items: object = getattr(message, name)
    if not is_array(items):
        raise MessageFormatError(name, f"must be a tuple of {kind.__name__}, not {type(items).__name__}")
    for index, item in enumerate(items):
        if not isinstance(item, kind):
            found = type(item).__name__
            raise MessageFormatError(f"{name}[{index}]", f"must be a {kind.__name__}, not {found}")
    if not isinstance(items, tuple):
        object.__setattr__(message, name, tuple(items))


def _freeze_mapping(call: ToolCall, name: str) -> None:
    value: object = getattr(call, name)
    if not is_mapping(value):
        raise MessageFormatError(name, f"must be a JSON object, not {type(value).__name__}")
    object.__setattr__(call, name, freeze(value, name))
