"""The parts of the AI SDK's UI message stream that are used here, as the client's own schema has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["check_part"]

_FINISH_REASONS = ("stop", "length", "content-filter", "tool-calls", "error", "interrupted", "other")
_Fields: TypeAlias = dict[str, type]

_TEXT: _Fields = {"type": str, "id": str}
_META: _Fields = {"providerMetadata": dict}
_TOOL: _Fields = {"type": str, "toolCallId": str}
_FLAGS: _Fields = {"dynamic": bool, "providerExecuted": bool, **_META}

_PARTS: dict[str, tuple[_Fields, _Fields]] = {
    "start": ({"type": str}, {"messageId": str, "messageMetadata": object}),
    "start-step": ({"type": str}, {}),
    "finish-step": ({"type": str}, {}),
    "text-start": (_TEXT, _META),
    "text-delta": ({**_TEXT, "delta": str}, _META),
    "text-end": (_TEXT, _META),
    "reasoning-start": (_TEXT, _META),
    "reasoning-delta": ({**_TEXT, "delta": str}, _META),
    "reasoning-end": (_TEXT, _META),
    "tool-input-available": ({**_TOOL, "toolName": str, "input": object}, _FLAGS),
    "tool-input-error": ({**_TOOL, "toolName": str, "input": object, "errorText": str}, _FLAGS),
    "tool-output-available": ({**_TOOL, "output": object}, _FLAGS),
    "tool-output-error": ({**_TOOL, "errorText": str}, _FLAGS),
    "message-metadata": ({"type": str, "messageMetadata": object}, {}),
    "error": ({"type": str, "errorText": str}, {}),
    "finish": ({"type": str}, {"finishReason": str, "messageMetadata": object}),
}
_DATA: tuple[_Fields, _Fields] = (
    {"type": str, "data": object},
    {"id": str, "transient": bool},
)


def check_part(part: Mapping[str, Any]) -> None:
    """Refuse what the client does not know.

    Raises:
        AssertionError: the kind is unknown, or a field is missing, unknown or of the wrong type.
    """
    kind = part["type"]
    required, optional = _DATA if kind.startswith("data-") else _PARTS[kind]
    assert required.keys() <= part.keys() <= required.keys() | optional.keys(), part
    for name, wanted in (required | optional).items():
        # An optional field that is null is an error for the client, and null is a value of ``object`` fields.
        assert name not in part or isinstance(part[name], wanted), (name, part)
    for ours in part.get("providerMetadata", {}).values():
        assert isinstance(ours, dict), part
    assert part.get("finishReason", "stop") in _FINISH_REASONS, part
