"""How one tool call went, as the machine is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from finalturn.stability import NEXT, beta

__all__ = ["ToolFailure", "ToolOutcome"]

ToolFailure: TypeAlias = Literal[
    "arguments", "unknown_tool", "tool_error", "error", "timeout", "policy", "approval", "coherence"
]
"""Why a tool call gave no result.

``"arguments"``: they were malformed, cut or invalid. ``"unknown_tool"``: no tool has that name.
``"tool_error"``: the tool raised a `ToolError`, whose text is meant to be seen. ``"error"``: it raised
anything else. ``"timeout"``: it was over its time. ``"policy"``, ``"approval"``, ``"coherence"``: a gate
denied it.
"""
beta(since=NEXT).constant(__name__, "ToolFailure")


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """One call's outcome.

    Attributes:
        index: the call's place in its batch.
        text: the result's text, or what the model is told instead.
        failure: ``None`` exactly when the tool ran and returned.
        terminal: the tool ran, returned, and ends the turn.
    """

    index: int
    text: str
    failure: ToolFailure | None = None
    terminal: bool = False
