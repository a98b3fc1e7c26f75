"""Makes the contexts of a turn's tool calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Protocol

from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.result import Usage
from finalturn._core.run_context import RunContext
from finalturn._core.tool_outcome import ToolOutcome

__all__ = ["CallAccount", "CallContexts"]


class CallAccount:
    """What the turns that one tool call runs have used, while they run and after."""

    def __init__(self) -> None:
        self._turns: list[HasUsage] = []

    @property
    def turns(self) -> int:
        """How many there were."""
        return len(self._turns)

    def enter(self, turn: HasUsage) -> None:
        """A turn is to run for the call."""
        self._turns.append(turn)

    @property
    def usage(self) -> Usage | None:
        """Tokens of all of them so far; ``None`` where there is none."""
        if not self._turns:
            return None
        return sum((turn.usage for turn in self._turns), Usage())


class HasUsage(Protocol):
    """A turn, as far as its usage goes."""

    @property
    def usage(self) -> Usage:
        """Tokens so far."""
        ...


class CallContexts:
    """The contexts of the calls of a turn, batch after batch.

    Args:
        of_turn: makes the context of the turn as it stands now, with these messages.
    """

    def __init__(self, of_turn: Callable[[tuple[Message, ...]], RunContext[Any]]) -> None:
        self._of_turn = of_turn
        self._messages: tuple[Message, ...] = ()
        self._failures: dict[str, int] = {}
        self._accounts: dict[int, CallAccount] = {}

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
            _account=self._accounts.setdefault(index, CallAccount()),
        )

    @property
    def usage(self) -> Usage:
        """Tokens of turns that calls of the batch run, but for calls that are settled."""
        used = (account.usage for account in self._accounts.values())
        return sum(filter(None, used), Usage())

    def with_usage(self, outcome: ToolOutcome) -> ToolOutcome:
        """The outcome of a call, with what turns that it ran have used."""
        account = self._accounts.get(outcome.index)
        used = None if account is None else account.usage
        return outcome if used is None else replace(outcome, usage=used)

    def settle(self, index: int) -> None:
        """The turn is told of the outcome of a call now, and counts what it has used."""
        self._accounts.pop(index, None)

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
