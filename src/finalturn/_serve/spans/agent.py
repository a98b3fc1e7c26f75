"""An agent whose model calls and tools have spans, in turns that are recorded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from finalturn._agent import Agent
from finalturn._agent.access import spec_of
from finalturn._serve.spans.model import TracedProvider
from finalturn._serve.spans.tools import ToolSpan
from finalturn._serve.spans.turn import CURRENT
from finalturn._tools import Tool
from finalturn._tools.arguments import Arguments, Values
from finalturn._tools.function import is_async

__all__ = ["traced_agent"]

T = TypeVar("T")


def traced_agent(agent: Agent[T]) -> Agent[T]:
    """See `finalturn._serve.spans.spans.traced`."""
    spec = spec_of(agent)
    tools = {name: _traced_tool(tool) for name, tool in spec.tools.items()}
    other = copy(agent)
    vars(other)["_spec"] = replace(spec, provider=TracedProvider(spec.provider), tools=tools)
    return other


def _traced_tool(tool: Tool[..., Any]) -> Tool[..., Any]:
    found = copy(tool)
    parts = vars(found)
    parts["_arguments"] = _TracedArguments(tool.name, parts["_arguments"])
    parts["_fn"] = _traced_function(parts["_fn"])
    return found


class _TracedArguments:
    """Hands a call's span on to the tool's function, before its arguments.

    Reading a call's arguments is the one step that knows the tool, and is made for each call, in order.
    """

    def __init__(self, name: str, arguments: Arguments) -> None:
        self._name = name
        self._arguments = arguments

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._arguments.schema

    def read(self, text: str) -> Values:
        spans = CURRENT.get()
        span = None if spans is None else spans.tools.claim(self._name)
        values = self._arguments.read(text)
        return Values((span, *values.positional), values.named)


def _traced_function(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with a span, or ``None``, as its first argument. An async one stays async."""

    async def call_async(span: ToolSpan | None, /, *args: Any, **kwargs: Any) -> Any:
        if span is None:
            return await fn(*args, **kwargs)
        with span.running():
            return await fn(*args, **kwargs)

    def call(span: ToolSpan | None, /, *args: Any, **kwargs: Any) -> Any:
        if span is None:
            return fn(*args, **kwargs)
        with span.running():
            found = fn(*args, **kwargs)
        return span.awaiting(found) if inspect.isawaitable(found) else found

    return call_async if is_async(fn) else call
