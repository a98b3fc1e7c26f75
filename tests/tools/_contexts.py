"""Contexts for tests of tools."""

from __future__ import annotations

from typing import Any

from finalturn._core.messages import Message
from finalturn._core.run_context import RunContext
from finalturn._tools.call_contexts import CallContexts


def context_of(messages: tuple[Message, ...]) -> RunContext[Any]:
    """A context of a turn without deps."""
    return RunContext(None, "run-1", messages=messages)


def contexts() -> CallContexts:
    """The contexts of a turn's calls."""
    return CallContexts(context_of)


def nobody_asks() -> RunContext[Any]:
    """The context of a call for which nobody may ask."""
    raise AssertionError("nobody asks for a context here")
