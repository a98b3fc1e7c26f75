"""The words and marks that both ways of drawing use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from finalturn._cli.view.blocks import ToolUse
from finalturn._core import json_text

__all__ = ["Marks", "clean", "marks_for", "outcome_text", "short", "tool_text", "value_text"]

_LONGEST = 200
# A terminal obeys control characters, and a model may write them.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Marks:
    """Signs that not every terminal can show.

    Attributes:
        good: something is as promised.
        bad: something is wrong.
        arrow: between a call and what came of it.
        more: something was left out, or is to come.
        cursor: the end of a text that still grows.
    """

    good: str = "✓"
    bad: str = "✗"
    arrow: str = "→"
    more: str = "…"
    cursor: str = "▌"


_ASCII = Marks("[ok]", "[!!]", "->", "...", "_")


def marks_for(encoding: str | None) -> Marks:
    """The marks that can be shown in this encoding."""
    marks = Marks()
    try:
        "".join((marks.good, marks.bad, marks.arrow, marks.more, marks.cursor)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return _ASCII
    return marks


def clean(text: str) -> str:
    """The text without control characters, but for line ends and tabs."""
    return _CONTROL.sub("", text)


def short(text: str, marks: Marks) -> str:
    """A text on one line, cut when it is long."""
    line = " ".join(clean(text).split())
    return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + marks.more


def value_text(value: Any) -> str:
    """JSON types as a person reads them: text as it is, the rest as JSON."""
    return clean(value) if isinstance(value, str) else json_text.encode(value).decode()


def tool_text(use: ToolUse, marks: Marks) -> str:
    """A tool call, as code would write it."""
    call = use.call
    arguments = ", ".join(
        f"{name}={json_text.encode(value).decode()}" for name, value in call.arguments.items()
    )
    return short(f"{call.name}({arguments})", marks)


def outcome_text(use: ToolUse, marks: Marks) -> str:
    """What came of a tool call; ``""`` when nothing has yet."""
    outcome = use.outcome
    if outcome is None:
        return ""
    text = short(outcome.content, marks) or "(nothing)"
    return text if outcome.tool_result is not None else f"failed: {text}"
