"""The outcome of one tool call: its result, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    from finalturn._core.result import Usage

__all__ = ["ToolFailure", "ToolOutcome"]

ToolFailure: TypeAlias = Literal[
    "arguments", "unknown_tool", "tool_error", "error", "timeout", "policy", "approval", "coherence"
]
"""Why a tool call gave no result.

``"arguments"``: they were malformed, cut or invalid. ``"unknown_tool"``: no tool has that name.
``"tool_error"``: the tool raised a `ToolError`, whose text is meant to be seen. ``"error"``: it raised
anything else. ``"timeout"``: it was over its time, or its turn was. ``"policy"``, ``"approval"``,
``"coherence"``: a gate denied it. ``"policy"`` too: its turn may run no more tools.
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
        usage: tokens of turns that the tool has run, which count in the turn that asked for it; ``None``
            where it has run none.
    """

    index: int
    text: str
    failure: ToolFailure | None = None
    terminal: bool = False
    usage: Usage | None = None
