"""`RunContext`: what a turn is run with, for the code of an application that asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic

from typing_extensions import TypeVar

from finalturn._core.messages import Message
from finalturn._core.result import Usage
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta, stable

__all__ = ["RunContext"]

DepsT_co = TypeVar("DepsT_co", covariant=True, default=object)


@stable(since=NEXT, fields={"attempt": beta(since=NEXT), "idempotency_key": beta(since=NEXT)})
@checked_class
@dataclass(frozen=True, slots=True)
class RunContext(Generic[DepsT_co]):
    """What a turn is run with. A function gets it by asking for it with its first parameter.

    Tools, gates, ``approve`` of a `ToolPolicy`, ``system_prompt``, ``context``, ``should_finalize`` and
    ``available`` of a tool may ask. The parameter is recognised by its annotation, ``RunContext`` or
    ``RunContext[Deps]``, and is no part of a tool's schema. Nothing of a context is stored, logged or sent.

    Example:
        @tool
        def my_orders(ctx: RunContext[User]) -> list[str]:
            return ctx.deps.orders

    Attributes:
        deps: what the call of the agent gave as ``deps``: the user, a database, a request.
        run_id: the id of this turn; over HTTP the one that the client is told.
        session: the id of the session that the turn continues; ``None`` without one.
        call_id: the id of the tool call; ``None`` where no tool is about to run.
        attempt: which try this is, from 1: one more for each time in a row that the tool has failed in this
            turn. It is 1 where no tool is about to run.
        usage: tokens of the turn so far.
        messages: the conversation so far, up to and including the message that asks for the tool. A tool
            that runs at the same time as others does not see their results.
        idempotency_key: a text that is the same whenever this very call is run again, and differs from that
            of every other call, for services that must not do a thing twice. 64 hexadecimal digits; ``""``
            where no tool is about to run.

    Contract:
        - `context-is-its-own` (beta): A function that asks for a RunContext MUST get the deps, session and
          run id of its own turn, on every surface.
        - `deps-stay-here` (beta): The deps of a turn MUST NOT be stored, logged or sent.
    """

    deps: DepsT_co = field(repr=False)
    run_id: str
    session: str | None = None
    call_id: str | None = None
    attempt: int = 1
    usage: Usage = field(default_factory=Usage)
    messages: tuple[Message, ...] = field(default=(), repr=False)
    idempotency_key: str = ""
    _meter: object = field(default=None, repr=False, compare=False)
    _turn: object = field(default=None, repr=False, compare=False)
    _account: object = field(default=None, repr=False, compare=False)


def meter_in(context: RunContext[Any]) -> object:
    """What counts the turn for its limits, where anything does: turns that its tools run count in it too."""
    return context._meter  # pyright: ignore[reportPrivateUsage]


def turn_in(context: RunContext[Any]) -> object:
    """The turn itself, for turns that its tools run; ``None`` in a context that no turn has made."""
    return context._turn  # pyright: ignore[reportPrivateUsage]


def account_in(context: RunContext[Any]) -> object:
    """What counts the usage of turns that the tool call runs; ``None`` where no tool is about to run."""
    return context._account  # pyright: ignore[reportPrivateUsage]
