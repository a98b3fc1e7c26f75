"""`ToolPolicy`: which tools may run, and which only after a person has agreed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeAlias, cast

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import Denial
from finalturn._core.run_context import RunContext
from finalturn._gates.refusal import refusal
from finalturn._support.keywords import known_keywords
from finalturn._tools.context_parameter import ContextParameter, context_parameter, with_context
from finalturn._tools.seconds import checked_seconds
from finalturn.stability import stable

__all__ = ["ApprovalHandler", "ToolPolicy", "approval_context"]

ApprovalHandler: TypeAlias = (
    Callable[[ToolCall], bool | Awaitable[bool]]
    | Callable[[RunContext[Any], ToolCall], bool | Awaitable[bool]]
)
"""Asks a person about a call: ``True`` lets it run. It gets the context first when it asks for it."""


@stable(since="0.1.0")
class ToolPolicy:
    """A gate by tool name. Patterns are shell globs (``*``, ``?``, ``[ab]``), and case counts.

    ``deny`` beats ``needs_approval``, which beats ``allow``. A tool that no pattern matches may run,
    unless ``allow`` is given: then only what matches may.

    A call that needs approval is denied, with the kind ``approval``, when there is no ``approve``, when
    that takes too long, raises, or gives anything but a ``bool``.

    It keeps nothing between calls: one policy serves any number of agents and turns.

    Args:
        allow: tools that may run. ``None`` allows every tool; an empty list allows none.
        deny: tools that never run.
        needs_approval: tools that run only when ``approve`` says so.
        approve: is given the call, and returns ``True`` to let it run. Sync, in a worker thread with the
            caller's context variables, or async. The calls of a turn are put to it one at a time. When its
            first parameter is a `RunContext`, it gets that, and then the call.
        approval_timeout: seconds to wait for ``approve``; ``None`` waits for ever.

    Raises:
        ConfigurationError: a pattern list is a single string, or holds something else than strings;
            ``approve`` cannot be called; ``approval_timeout`` is not a number above 0.
    """

    @known_keywords("ToolPolicy")
    def __init__(
        self,
        *,
        allow: Iterable[str] | None = None,
        deny: Iterable[str] = (),
        needs_approval: Iterable[str] = (),
        approve: ApprovalHandler | None = None,
        approval_timeout: float | None = None,
    ) -> None:
        self._allow = None if allow is None else _checked_patterns("allow", allow)
        self._deny = _checked_patterns("deny", deny)
        self._needs_approval = _checked_patterns("needs_approval", needs_approval)
        if approve is not None and not callable(approve):
            raise ConfigurationError(f"ToolPolicy: approve is a function of a call, not {described(approve)}")
        self._approve = approve
        self._approve_context = None if approve is None else context_parameter(approve, "ToolPolicy: approve")
        self._timeout = checked_seconds("ToolPolicy: approval_timeout", approval_timeout)

    def check(
        self, call: ToolCall, messages: Sequence[Message], /, context: RunContext[Any] | None = None
    ) -> Denial | Awaitable[Denial | None] | None:
        """Decide by the tool's name, and ask for approval where that is needed.

        Args:
            call: what is about to run.
            messages: the conversation; it is not looked at.
            context: of the run, for an ``approve`` that asks for it. Agents give it; so must a gate that
                calls a policy of its own.

        Returns:
            Why the call must not run; ``None`` lets it run. An awaitable where a person is asked.
        """
        name = call.name
        if _matches(name, self._deny):
            return Denial(f"the tool {name} is not allowed.")
        if _matches(name, self._needs_approval):
            if self._approve is None:
                return _unapproved("the tool needs an approval, and nobody is there to give it.")
            if self._approve_context is not None and context is None:
                return _unapproved("its approval needs the context of the run.")
            return self._ask(self._approve, call, context)
        if self._allow is not None and not _matches(name, self._allow):
            return Denial(f"the tool {name} is not allowed.")
        return None

    async def _ask(
        self, approve: ApprovalHandler, call: ToolCall, context: RunContext[Any] | None
    ) -> Denial | None:
        ask: Callable[..., object] = approve
        if context is not None:
            ask = with_context(approve, self._approve_context, lambda: context)
        reason = await refusal(partial(ask, call), self._timeout, "its approval")
        return None if reason is None else _unapproved(reason)


def approval_context(policy: ToolPolicy) -> ContextParameter | None:
    """How the ``approve`` of a policy asks for the context; ``None`` when it does not."""
    return policy._approve_context  # pyright: ignore[reportPrivateUsage]


def _unapproved(reason: str) -> Denial:
    return Denial(reason, "approval")


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _checked_patterns(field: str, patterns: object) -> tuple[str, ...]:
    if isinstance(patterns, (str, bytes)) or not isinstance(patterns, Iterable):
        raise ConfigurationError(
            f"ToolPolicy: {field} is a list of patterns, not {described(patterns)}; write "
            f"{field}=[{patterns!r}]"
        )
    listed = tuple(cast("Iterable[object]", patterns))
    for pattern in listed:
        if not isinstance(pattern, str) or not pattern.strip():
            raise ConfigurationError(
                f"ToolPolicy: {field} holds {pattern!r}; a pattern is a str, such as 'search_*'"
            )
    return tuple(str(pattern) for pattern in listed)
