"""A model for batches: each input is answered as it says, and the model knows what it was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from anyio.lowlevel import checkpoint

from finalturn import ModelRequest, ModelResponse, ProviderError, Usage
from finalturn._core.observers import ObservedTurn, TurnEnded, TurnEvent
from finalturn.providers import Scripted

Try = tuple[Literal["ok", "busy", "broken"], int]
"""How a model call goes, and after how many steps of the event loop."""


@dataclass
class Model:
    """Answers the input ``"7"`` as the seventh plan says, one try after the other."""

    plans: Sequence[Sequence[Try]]
    tries: Counter[int] = field(default_factory=Counter[int])
    under_way: int = 0
    most: int = 0
    spent: Usage = field(default_factory=Usage)

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        place = int(request.messages[-1].content)
        outcome, steps = self.plans[place][self.tries[place]]
        self.tries[place] += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        usage = Usage(input_tokens=1 + place, total_tokens=1 + place)
        try:
            for _ in range(steps):
                await checkpoint()
            self.spent += usage
        finally:
            self.under_way -= 1
        if outcome == "ok":
            return ModelResponse(content=f"answer {place}", usage=usage)
        error = ProviderError(outcome, retryable=outcome == "busy")
        error.usage = usage
        raise error


@dataclass
class Ended:
    """Observes turns, and remembers what those that ended had been asked."""

    inputs: list[str] = field(default_factory=list[str])

    def observe(self, turn: ObservedTurn, /) -> Ended:
        return self

    def on_event(self, event: TurnEvent, /) -> None:
        if isinstance(event, TurnEnded) and event.result is not None:
            self.inputs.append(event.result.messages[0].content)


@dataclass
class Waits:
    """A clock that does not wait, and chance that is none."""

    seconds: list[float] = field(default_factory=list[float])
    random: Random = field(default_factory=lambda: Random(0))

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await checkpoint()


def echo() -> Scripted:
    """A model that says what it was asked."""
    return Scripted(then=lambda request: f"you said {request.messages[-1].content}")
