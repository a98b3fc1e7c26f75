"""`CoherenceGate`: whether a call makes sense in its conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeAlias

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import Denial
from finalturn._gates.refusal import refusal
from finalturn._support.keywords import known_keywords
from finalturn._tools.seconds import checked_seconds
from finalturn.stability import stable

__all__ = ["CoherenceCheck", "CoherenceGate"]

CoherenceCheck: TypeAlias = Callable[[ToolCall, Sequence[Message]], bool | Awaitable[bool]]
"""Looks at a call and the conversation that led to it: ``True`` lets the call run."""


@stable(since="0.1.0")
class CoherenceGate:
    """A gate that lets a call run only when a check finds it coherent with the conversation.

    It guards against a call that the person never asked for: a model that lost its way, or text in a
    tool's result that poses as an instruction. `provider_check` makes a check that asks a model.

    A check that says ``False``, takes too long, raises, or gives anything but a ``bool`` denies, with the
    kind ``coherence``.

    Args:
        check: is given the call, and the conversation up to and including the message that asks for it.
            Sync, in a worker thread with the caller's context variables, or async.
        timeout: seconds to wait for it, 60 by default; ``None`` waits for ever.

    Raises:
        ConfigurationError: ``check`` cannot be called, or ``timeout`` is not a number above 0.
    """

    @known_keywords("CoherenceGate")
    def __init__(self, check: CoherenceCheck, *, timeout: float | None = 60.0) -> None:
        if not callable(check):
            raise ConfigurationError(
                f"CoherenceGate: check is a function of a call and its messages, not {described(check)}"
            )
        self._check = check
        self._timeout = checked_seconds("CoherenceGate: timeout", timeout)

    async def check(self, call: ToolCall, messages: Sequence[Message], /) -> Denial | None:
        """Put the call to the check.

        Args:
            call: what is about to run.
            messages: the conversation up to and including the message that asks for the call.

        Returns:
            Why the call must not run; ``None`` lets it run.
        """
        reason = await refusal(partial(self._check, call, messages), self._timeout, "its coherence check")
        return None if reason is None else Denial(reason, "coherence")
