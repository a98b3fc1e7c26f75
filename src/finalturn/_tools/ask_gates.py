"""Asks the gates whether a call may run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from finalturn._core.frozen import FrozenDict, FrozenList
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import ContextGate, Denial, DenialKind, ToolGate
from finalturn._core.run_context import RunContext
from finalturn._tools.contain import Job, Raised, TimedOut, contain
from finalturn._tools.context_parameter import ContextParameter, with_context

__all__ = ["GateChain"]

_KINDS = get_args(DenialKind)


class GateChain:
    """A turn's gates, and the denials they gave: the same call is not asked again.

    Args:
        gates: are asked in order.
        contexts: how those that ask for the context do, by their places.
    """

    def __init__(
        self, gates: Sequence[ToolGate | ContextGate[Any]], contexts: Mapping[int, ContextParameter]
    ) -> None:
        self._gates = tuple(gates)
        self._contexts = contexts
        self._denied: dict[object, Denial] = {}

    async def ask(
        self, call: ToolCall, messages: Sequence[Message], context: Callable[[], RunContext[Any]]
    ) -> Denial | None:
        """The first denial, or ``None`` when every gate lets the call run."""
        if not self._gates:
            return None
        key = (call.name, _identity(call.arguments))
        if key in self._denied:
            return self._denied[key]
        for place, gate in enumerate(self._gates):
            check = with_context(gate.check, self._contexts.get(place), context)
            denial = _checked(await _answer(check, call, messages))
            if denial is not None:
                self._denied[key] = denial
                return denial
        return None


async def _answer(check: Callable[..., object], call: ToolCall, messages: Sequence[Message]) -> object:
    """What a gate says, or a `Raised`."""
    try:
        answer = check(call, messages)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # Nothing is awaited here, so no cancellation of the turn can be among these.
        return Raised(error)
    if not inspect.isawaitable(answer):
        return answer
    waiting: Any = answer

    async def wait() -> object:
        return await waiting

    try:
        return (await contain([Job(wait)]))[0]
    finally:
        if inspect.iscoroutine(waiting):
            # One that a cancellation kept from starting would be warned about.
            waiting.close()


def _checked(answer: object) -> Denial | None:
    match answer:
        case None:
            return None
        case Denial(reason=str(), kind=kind) if kind in _KINDS:
            return answer
        case Raised(error):
            return Denial(f"a check of the application failed ({type(error).__name__}).")
        case TimedOut() | _:
            return Denial(f"a check of the application gave no answer (a {type(answer).__name__}).")


def _identity(value: Any) -> object:
    """A frozen JSON value as something hashable: equal for equal values, and true is not 1."""
    if isinstance(value, FrozenDict):
        return frozenset((key, _identity(item)) for key, item in value.items())
    if isinstance(value, FrozenList):
        return tuple(map(_identity, value))
    if isinstance(value, bool):
        return bool, value
    return value
