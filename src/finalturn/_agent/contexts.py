"""Makes the contexts of a turn, for the functions of an application that ask for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from finalturn._core.messages import Message
from finalturn._core.result import Usage
from finalturn._core.run_context import RunContext

if TYPE_CHECKING:
    from finalturn._agent.meter import Meter
    from finalturn._agent.spec import TurnSpec

__all__ = ["TurnContexts"]


class TurnContexts:
    """The contexts of one turn.

    Args:
        turn: the call of the agent.
        usage: tells the tokens so far.
        meter: counts the turn for its limits; ``None`` where nothing does.
    """

    def __init__(self, turn: TurnSpec, usage: Callable[[], Usage], meter: Meter | None = None) -> None:
        self._turn = turn
        self._usage = usage
        self._meter = meter
        self._run_id = turn.run_id

    def make(self, messages: tuple[Message, ...]) -> RunContext[Any]:
        """The context of the turn as it stands now.

        Args:
            messages: the conversation so far.
        """
        if self._run_id is None:
            # Made when somebody asks: most turns need none.
            self._run_id = uuid4().hex
        return RunContext(
            deps=self._turn.deps,
            run_id=self._run_id,
            session=self._turn.session,
            usage=self._usage(),
            messages=messages,
            _meter=self._meter,
            _turn=self._turn,
        )
