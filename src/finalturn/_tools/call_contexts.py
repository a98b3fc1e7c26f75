"""Makes the contexts of a turn's tool calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.run_context import RunContext
from finalturn._core.tool_outcome import ToolOutcome

__all__ = ["CallContexts"]


class CallContexts:
    """The contexts of the calls of a turn, batch after batch.

    Args:
        of_turn: makes the context of the turn as it stands now, with these messages.
    """

    def __init__(self, of_turn: Callable[[tuple[Message, ...]], RunContext[Any]]) -> None:
        self._of_turn = of_turn
        self._messages: tuple[Message, ...] = ()
        self._failures: dict[str, int] = {}

    def next_batch(self, messages: tuple[Message, ...]) -> None:
        """The calls that the last of these messages asks for come next."""
        self._messages = messages

    def of_call(self, index: int, call: ToolCall) -> RunContext[Any]:
        """The context of a call, by its place in its batch."""
        context = self._of_turn(self._messages)
        return replace(
            context,
            call_id=call.id,
            attempt=1 + self._failures.get(call.name, 0),
            idempotency_key=_key(context.run_id, self._messages, index, call),
        )

    def note(self, calls: Sequence[ToolCall], outcomes: Mapping[int, ToolOutcome]) -> None:
        """The batch has ended so."""
        for index, call in enumerate(calls):
            failed = outcomes[index].failure is not None
            self._failures[call.name] = self._failures.get(call.name, 0) + 1 if failed else 0


def _key(run_id: str, messages: Sequence[Message], index: int, call: ToolCall) -> str:
    """The same for the same call of the same run, in whichever process it is run again.

    Models number their calls anew in each answer, and some give no ids at all: the place of the call in its
    turn tells it from the others.
    """
    answers = 0
    for message in reversed(messages):
        if message.role is Role.USER:
            break
        answers += message.role is Role.ASSISTANT
    identity = "\0".join((run_id, str(answers), str(index), call.id or "", call.name))
    return sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
