"""What a provider of any origin must have put into its events: checked before a turn is built on them."""

from __future__ import annotations

from finalturn.core._narrow import is_array, is_mapping
from finalturn.core.errors import ProviderError
from finalturn.core.messages import ToolCall
from finalturn.core.model import ToolCallDelta
from finalturn.core.result import Usage


def misfit(where: str, found: object, wanted: str) -> ProviderError:
    """The error for a value of the wrong type. It names types only: the value may be a model's text."""
    return ProviderError(f"the provider gave a {type(found).__name__} as {where}; it must be {wanted}")


def expect_pieces(delta: ToolCallDelta) -> None:
    """Check a piece of a tool call.

    Raises:
        ProviderError: a field has the wrong type.
    """
    for name in ("name", "arguments"):
        found: object = getattr(delta, name)
        if not isinstance(found, str):
            raise misfit(f"ToolCallDelta.{name}", found, "a str")
    if not _is_or_none(delta.id, str):
        raise misfit("ToolCallDelta.id", delta.id, "a str or None")
    if not _is_or_none(delta.index, int):
        raise misfit("ToolCallDelta.index", delta.index, "an int or None")
    if delta.provider_data is not None and not is_mapping(delta.provider_data):
        raise misfit("ToolCallDelta.provider_data", delta.provider_data, "a mapping or None")


def expect_calls(calls: object) -> tuple[ToolCall, ...]:
    """The tool calls of a whole reply.

    Raises:
        ProviderError: they are not a tuple or list of ToolCall.
    """
    if not is_array(calls):
        raise misfit("ModelResponse.tool_calls", calls, "a tuple of ToolCall")
    for call in calls:
        if not isinstance(call, ToolCall):
            raise misfit("an item of ModelResponse.tool_calls", call, "a ToolCall")
    return tuple(calls)


def expect_usage(usage: object) -> None:
    """Check the usage of a call.

    Raises:
        ProviderError: it is neither a Usage nor None.
    """
    if not _is_or_none(usage, Usage):
        raise misfit("usage", usage, "a Usage or None")


def _is_or_none(value: object, kind: type) -> bool:
    return value is None or isinstance(value, kind)
