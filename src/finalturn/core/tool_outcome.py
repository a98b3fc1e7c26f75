"""How one tool call went, as the machine is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ToolFailure", "ToolOutcome"]

ToolFailure: TypeAlias = Literal[
    "arguments", "unknown_tool", "error", "timeout", "policy", "approval", "coherence"
]
"""Why a call gave no result. ``"arguments"``: malformed, cut or invalid."""


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
