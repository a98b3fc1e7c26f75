"""A path that a turn can take: what the model does, and all that must come of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from finalturn import StructuredOutputConfig, Usage
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._scenes import ANSWER, FINAL, Ticket, fail, hand_over, lookup

START, REUSE = "event:structured_synthesis_start", "event:structured_reuse"
HELD_NO_REUSE = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False, hold_json=True)
SHOWN_JSON = (("", ANSWER),)
SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)


@dataclass(frozen=True)
class Path:
    """A path.

    Attributes:
        calls: what each model call answers.
        shape: the purposes of what is shown, in order.
        text: all content that is shown.
        status: the structured status; "error" when the turn raises a ProviderError.
        content: the result's content.
        said: content and structured of each ASSISTANT message, in order.
        answer: the index of the call that holds the answer.
        stop: why the turn ends.
        parts: what the agent has beside its tools.
        plain: there is no response_format.
        limit: which limit ends the turn.
    """

    calls: tuple[Any, ...]
    shape: tuple[str, ...]
    text: str = ""
    status: str | None = "ok"
    content: str = ANSWER
    said: tuple[tuple[str, str | None], ...] = ()
    answer: int | None = None
    stop: str = "completed"
    parts: dict[str, Any] = field(default_factory=dict[str, Any])
    plain: bool = False
    limit: str | None = None

    def play(self, play: Play) -> Observed:
        """Play it: each call costs the same, and the turn is saved."""
        calls: list[Any] = [[SPENT, *(call if isinstance(call, list) else [call])] for call in self.calls]
        parts: dict[str, Any] = {"tools": [lookup, fail, hand_over], "config": FINAL, **self.parts}
        if not self.plain:
            parts.setdefault("response_format", Ticket)
        return play(*calls, **parts)
