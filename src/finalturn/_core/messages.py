"""The messages of a conversation, and what they are made of: roles, content parts and tool calls.

Everything here is deep-frozen: a message can be shared between turns and threads, and encoded once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple, get_args

from finalturn._core import message_dict
from finalturn._core.errors import MessageFormatError
from finalturn._core.frozen import freeze
from finalturn._core.memo import Keeper
from finalturn._core.tool_outcome import ToolFailure
from finalturn._core.type_guards import is_array, is_mapping
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta, stable

__all__ = ["ContentPart", "Message", "Role", "ToolCall"]


@stable(since="0.1.0")
class Role(StrEnum):
    """Who a message is from. Each is a ``str`` too, as chat APIs spell it.

    Attributes:
        SYSTEM: the developer: instructions and context.
        USER: the person.
        ASSISTANT: the model.
        TOOL: a tool: the outcome of one call.
    """

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class ContentPart:
    """A part of a message that is not text: an image.

    Make one with `image_url` or `image_base64`.

    Attributes:
        kind: always ``"image"``.
        url: where the image is (``https:``, or ``data:`` as in RFC 2397), or ``None``.
        data: the image's bytes as base64 text (RFC 4648), or ``None``. Exactly one of ``url`` and
            ``data`` is set.
        media_type: the image's MIME type, such as ``"image/png"``; needed with ``data``.

    Raises:
        MessageFormatError: a field has the wrong type, or not exactly one of ``url`` and ``data`` is set.
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
        """An image that the provider fetches, or that stands in the URL itself.

        Args:
            url: an ``https:`` or ``data:`` URL.
        """
        return cls("image", url=url)

    @classmethod
    def image_base64(cls, data: str, media_type: str) -> ContentPart:
        """An image given as its bytes.

        Args:
            data: the bytes, as base64 text.
            media_type: their MIME type, such as ``"image/png"``.

        Raises:
            MessageFormatError: the MIME type is missing.
        """
        return cls("image", data=data, media_type=media_type)

    def to_dict(self) -> dict[str, Any]:
        """The part in plain JSON types; what is ``None`` is left out."""
        return message_dict.part_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ContentPart:
        """The inverse of `to_dict`.

        Args:
            data: what `to_dict` gave, such as ``{"kind": "image", "url": "https://..."}``.

        Raises:
            MessageFormatError: a field is unknown, missing or of the wrong type; it is named.
        """
        return cls(**message_dict.known_fields(cls, data, required=("kind",)))


class _Written(NamedTuple):
    """Arguments as the model wrote them, and what they were read as."""

    text: str
    arguments: Mapping[str, Any]


@stable(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to run a tool.

    Attributes:
        name: the tool's name, as the model wrote it.
        arguments: a JSON object, deep-frozen; ``{}`` when what the model wrote was not one.
        id: the provider's id of the call; ``None`` for a call that was written as text.
        error: why the call cannot run (its arguments were malformed or cut), or ``None``.
        provider_data: opaque JSON that the provider wants back with the call, or ``None``.

    Raises:
        MessageFormatError: a field has the wrong type, or is not JSON; it is named.

    Contract:
        - `tool-call-id-native` (stable): `tool_call_id` MUST be set for native tool calls, and be `None` for
          calls that were parsed from text.
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
        return message_dict.arguments_json(self.arguments)

    def to_dict(self) -> dict[str, Any]:
        """The call in plain JSON types; what is ``None`` is left out."""
        return message_dict.call_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolCall:
        """The inverse of `to_dict`.

        Args:
            data: what `to_dict` gave, such as ``{"name": "look", "arguments": {}, "id": "call_1"}``.

        Raises:
            MessageFormatError: a field is unknown, missing or of the wrong type; it is named.
        """
        return cls(**message_dict.known_fields(cls, data, required=("name",)))


_FAILURES = frozenset(get_args(ToolFailure))


@stable(since="0.1.0", fields={"tool_failure": beta(since=NEXT)})
@checked_class
@dataclass(frozen=True, slots=True)
class Message(Keeper):
    """One message of a conversation. Deep-frozen.

    Attributes:
        role: who it is from; a plain string such as ``"user"`` is taken too.
        content: its text; ``""`` when it has none.
        tool_calls: the calls that an ASSISTANT message asks for, in order.
        tool_name: of a TOOL message, the tool that it answers for.
        tool_call_id: of a TOOL message, the call that it answers; ``None`` for a call written as text.
        tool_result: of a TOOL message, the result's text exactly when the tool ran and returned, the
            empty string included; ``None`` when it failed or was not run, and ``content`` says why.
        content_parts: what is not text; it stands after ``content``.
        structured: the JSON text of the structured answer that this message ends the turn with;
            ``None`` when it does not.
        tool_failure: of a TOOL message without ``tool_result``, the kind of failure; ``None`` where it is
            not known.

    Raises:
        MessageFormatError: a field has the wrong type; it is named.

    Contract:
        - `tool-name-always` (stable): Every TOOL message that the executor appends MUST have `tool_name`.
        - `tool-result-marks-success` (stable): `tool_result` MUST be the result text exactly when the tool
          ran and returned, the empty string included; it is `None` for an error, a timeout, an unknown tool,
          bad arguments, and a denial by policy, approval or coherence, whose text is in `content`.
        - `tool-call-id-native` (stable): `tool_call_id` MUST be set for native tool calls, and be `None` for
          calls that were parsed from text.
        - `tool-messages-in-call-order` (stable): There MUST be one TOOL message for each call, in call order,
          parallel or not.
        - `seeded-messages-untouched` (stable): Messages given by the caller MUST keep whatever fields they
          had.
        - `round-trip-exact` (stable): `Message.from_dict(message.to_dict())` MUST equal the message; nothing
          is rewritten on load.
        - `history-replayable` (stable): What a turn leaves in history, cancelled at any point, MUST be
          accepted by every provider's encoder.
        - `history-is-what-was-shown` (beta): The saved turn MUST be what the person saw, with the structured
          answer attached; the synthesis exchange is not in it.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_result: str | None = None
    content_parts: tuple[ContentPart, ...] = ()
    structured: str | None = None
    tool_failure: ToolFailure | None = None

    def __post_init__(self) -> None:
        if type(self.role) is not Role:
            object.__setattr__(self, "role", _role(self.role))
        _expect_str(self.content, "content")
        for name in ("tool_name", "tool_call_id", "tool_result", "structured"):
            _expect_str(getattr(self, name), name, optional=True)
        if self.tool_failure is not None and self.tool_failure not in _FAILURES:
            raise MessageFormatError("tool_failure", f"must be one of {', '.join(get_args(ToolFailure))}")
        _expect_items(self, "tool_calls", ToolCall)
        _expect_items(self, "content_parts", ContentPart)

    @classmethod
    def system(cls, content: str) -> Message:
        """A SYSTEM message.

        Args:
            content: its text.
        """
        return cls(Role.SYSTEM, content)

    @classmethod
    def user(cls, content: str, *parts: ContentPart) -> Message:
        """A USER message.

        Args:
            content: its text.
            *parts: images; they stand after the text.
        """
        return cls(Role.USER, content, content_parts=parts)

    @classmethod
    def assistant(cls, content: str, *, tool_calls: Sequence[ToolCall] = ()) -> Message:
        """An ASSISTANT message.

        Args:
            content: its text.
            tool_calls: the calls that it asks for, in order.
        """
        return cls(Role.ASSISTANT, content, tool_calls=tuple(tool_calls))

    def to_dict(self) -> dict[str, Any]:
        """The message in plain JSON types; nothing is lost: ``Message.from_dict(m.to_dict()) == m``.

        Fields with nothing in them are left out, but for ``content``, and a TOOL message's ``tool_result``.
        """
        return message_dict.message_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """The inverse of `to_dict`; nothing is rewritten.

        Args:
            data: what `to_dict` gave, such as ``{"role": "user", "content": "hello"}``.

        Raises:
            MessageFormatError: a field is unknown, missing or of the wrong type; it is named.
        """
        fields = message_dict.known_fields(cls, data, required=("role",))
        fields["tool_calls"] = message_dict.read_items(fields, "tool_calls", ToolCall.from_dict)
        fields["content_parts"] = message_dict.read_items(fields, "content_parts", ContentPart.from_dict)
        return cls(**fields)


def _role(value: object) -> Role:
    try:
        return Role(value)  # type: ignore[arg-type]
    except ValueError:
        raise MessageFormatError("role", f"must be one of {', '.join(Role)}") from None


def _expect_str(value: object, name: str, *, optional: bool = False) -> None:
    if isinstance(value, str) or (optional and value is None):
        return
    expected = "a str or None" if optional else "a str"
    raise MessageFormatError(name, f"must be {expected}, not {type(value).__name__}")


def _expect_items(message: Message, name: str, kind: type) -> None:
    items: object = getattr(message, name)
    if not is_array(items):
        raise MessageFormatError(name, f"must be a tuple of {kind.__name__}, not {type(items).__name__}")
    for index, item in enumerate(items):
        if not isinstance(item, kind):
            item_kind = type(item).__name__
            raise MessageFormatError(f"{name}[{index}]", f"must be a {kind.__name__}, not {item_kind}")
    if not isinstance(items, tuple):
        object.__setattr__(message, name, tuple(items))


def _freeze_mapping(call: ToolCall, name: str) -> None:
    value: object = getattr(call, name)
    if not is_mapping(value):
        raise MessageFormatError(name, f"must be a JSON object, not {type(value).__name__}")
    object.__setattr__(call, name, freeze(value, name))
