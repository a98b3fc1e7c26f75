"""Checks of how to sample: what no model could be asked, found out before one is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.type_guards import is_mapping, is_sequence

if TYPE_CHECKING:
    from finalturn._core.model import ModelSettings

__all__ = ["check_model_settings"]

_CHOICES = ("auto", "required", "none")


def check_model_settings(settings: ModelSettings) -> None:
    """Check each of them. How large a temperature may be and the like is the vendor's to say.

    Raises:
        ConfigurationError: one cannot be meant; it is named.
    """
    for name in ("temperature", "top_p"):
        value: object = getattr(settings, name)
        if value is not None and not _is_number(value):
            raise _wrong(name, "a number", value)
    for name, least in (("max_tokens", 1), ("seed", None)):
        value = getattr(settings, name)
        if value is not None and not _is_whole(value, least):
            raise _wrong(
                name, "a whole number" if least is None else f"a whole number of at least {least}", value
            )
    _check_stop(settings.stop)
    choice: object = settings.tool_choice
    if choice is not None and choice not in _CHOICES:
        raise _wrong("tool_choice", f"one of {', '.join(map(repr, _CHOICES))}", choice)
    if settings.extra_body is not None and not is_mapping(settings.extra_body):
        raise _wrong("extra_body", "a mapping", settings.extra_body)


def _check_stop(stop: Sequence[str] | None) -> None:
    if isinstance(stop, str):
        raise ConfigurationError(
            f"ModelSettings: stop must be a list of texts, not a str; write stop=[{stop!r}]"
        )
    if stop is None:
        return
    if not is_sequence(stop):
        raise _wrong("stop", "a list of texts", stop)
    for index, text in enumerate(stop):
        if not isinstance(text, str) or not text:
            raise _wrong(f"stop[{index}]", "a text that is not empty", text)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object, least: int | None) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and (least is None or value >= least)


def _wrong(name: str, wanted: str, value: object) -> ConfigurationError:
    shown = repr(value) if isinstance(value, (int, float, str)) else described(value)
    return ConfigurationError(f"ModelSettings: {name} must be {wanted}, not {shown}")
