"""Runs a batch of tool calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from finalturn._adapters.in_time import OutOfTime, in_time
from finalturn._adapters.watches import Watches
from finalturn._core.errors import ToolError
from finalturn._core.json_text import without_surrogates
from finalturn._core.messages import Message, ToolCall
from finalturn._core.observers import ToolCallEnded, ToolCallStarted
from finalturn._core.protocols import ContextGate, ToolGate
from finalturn._core.tool_outcome import ToolFailure, ToolOutcome
from finalturn._tools.arguments import ArgumentsError, quote
from finalturn._tools.ask_gates import GateChain
from finalturn._tools.call_contexts import CallContexts
from finalturn._tools.calling import call_then
from finalturn._tools.contain import Job, Raised, TimedOut, contain
from finalturn._tools.context_parameter import ContextParameter
from finalturn._tools.function import is_async
from finalturn._tools.result_text import NoJsonFormError, error_text, to_text
from finalturn._tools.tool import Tool, prepare

__all__ = ["MOST_AT_A_TIME", "ToolRunner"]

MOST_AT_A_TIME = 16
OUT_OF_TIME = "This call was not run: the turn is out of time."


class _Failure(NamedTuple):
    kind: ToolFailure
    text: str


class _ReadyCall(NamedTuple):
    place: int
    call: ToolCall
    tool: Tool[..., Any, Any]
    run: Callable[[], Any]


class ToolRunner:
    """The tools and gates of one turn."""

    def __init__(
        self,
        tools: Mapping[str, Tool[..., Any, Any]],
        gates: Sequence[ToolGate | ContextGate[Any]],
        contexts: CallContexts,
        *,
        parallel: bool,
        gate_contexts: Mapping[int, ContextParameter] = MappingProxyType({}),
        watches: Watches | None = None,
        deadline: float | None = None,
    ) -> None:
        """Set up a turn.

        Args:
            tools: each tool under its name.
            gates: are asked in order.
            contexts: makes the context of a call, for the tools and gates that ask for it.
            gate_contexts: how the gates that ask for the context do, by their places.
            parallel: whether the calls of a batch run at the same time, at most 16; otherwise they run
                one by one, in call order.
            watches: are told of each call; ``None`` where nobody watches.
            deadline: when what runs is stopped, and nothing more begins, as ``time.monotonic`` tells the
                time; ``None`` for never.
        """
        self._tools = tools
        self._gates = GateChain(gates, gate_contexts)
        self._contexts = contexts
        self._limit = MOST_AT_A_TIME if parallel else 1
        self._watches = watches
        self._deadline = deadline

    async def run(self, calls: Sequence[ToolCall], messages: Sequence[Message]) -> list[ToolOutcome]:
        """Run a batch; one outcome for each call, in call order.

        Every call is validated and put to the gates, in order, before any of them runs. Whatever a tool
        or a gate raises is an outcome, except `KeyboardInterrupt`, which is raised itself.

        Args:
            calls: what one model call asked for.
            messages: the conversation, up to and including the message that asks for the calls.
        """
        outcomes: dict[int, ToolOutcome] = {}
        ready: list[_ReadyCall] = []
        conversation = tuple(messages)
        self._contexts.next_batch(conversation)
        for index, call in enumerate(calls):
            checked = await self._check_in_time(index, call, conversation)
            if isinstance(checked, _ReadyCall):
                ready.append(checked)
            else:
                outcomes[index] = _failed(index, checked)
                if self._watches is not None:
                    self._watches.tell(_ended(call, outcomes[index]))
        if ready:
            outcomes.update(await self._run(ready))
        self._contexts.note(calls, outcomes)
        return [outcomes[index] for index in range(len(calls))]

    async def _run(self, ready: Sequence[_ReadyCall]) -> Mapping[int, ToolOutcome]:
        if self._watches is not None:
            return await _WatchedBatch(ready, self._watches).run(self._limit, self._deadline)
        jobs = [Job(_work(ready_call.run), ready_call.tool.timeout) for ready_call in ready]
        ended = await contain(jobs, limit=self._limit, deadline=self._deadline)
        return {
            ready_call.place: _outcome(ready_call, end) for ready_call, end in zip(ready, ended, strict=True)
        }

    async def _check_in_time(
        self, index: int, call: ToolCall, messages: Sequence[Message]
    ) -> _ReadyCall | _Failure:
        if self._deadline is None:
            return await self._check(index, call, messages)
        try:
            return await in_time(self._deadline, partial(self._check, index, call, messages))
        except OutOfTime:
            return _Failure("timeout", OUT_OF_TIME)

    async def _check(self, index: int, call: ToolCall, messages: Sequence[Message]) -> _ReadyCall | _Failure:
        if call.error is not None:
            return _Failure("arguments", _malformed_text(call.error))
        tool = self._tools.get(call.name)
        if tool is None:
            return _Failure("unknown_tool", self._unknown(call.name))
        context = partial(self._contexts.of_call, index, call)
        try:
            run = prepare(tool, call, context)
        except ArgumentsError as error:
            return _Failure("arguments", _misfit_text(tool, str(error)))
        denial = await self._gates.ask(call, messages, context)
        if denial is not None:
            return _Failure(denial.kind, f"This call was not run: {denial.reason}")
        return _ReadyCall(index, call, tool, run)

    def _unknown(self, name: str) -> str:
        if not self._tools:
            return f"There is no tool named {quote(name)}: there are no tools."
        return f"There is no tool named {quote(name)}. The tools are: {', '.join(self._tools)}."


class _WatchedBatch:
    """Runs tools, each in the contexts of those who watch, and tells them."""

    def __init__(self, ready: Sequence[_ReadyCall], watches: Watches) -> None:
        self._ready = ready
        self._watches = watches
        self._running: dict[int, _ReadyCall] = {}
        self._outcomes: dict[int, ToolOutcome] = {}

    async def run(self, limit: int, deadline: float | None) -> Mapping[int, ToolOutcome]:
        """Run them; their outcomes by the place of their calls."""
        jobs = [Job(partial(self._work, ready_call), ready_call.tool.timeout) for ready_call in self._ready]
        try:
            await contain(jobs, limit=limit, on_end=self._end, deadline=deadline)
        finally:
            for ready_call in self._running.values():
                self._watches.tell(ToolCallEnded(ready_call.place, ready_call.call, cancelled=True))
        return self._outcomes

    async def _work(self, ready_call: _ReadyCall) -> str | Raised:
        started = ToolCallStarted(ready_call.place, ready_call.call)
        self._running[ready_call.place] = ready_call
        self._watches.tell(started)
        with self._watches.around(started):
            return await _work(ready_call.run)()

    def _end(self, index: int, ended: str | Raised | TimedOut) -> None:
        ready_call = self._ready[index]
        outcome = self._outcomes[ready_call.place] = _outcome(ready_call, ended)
        self._running.pop(ready_call.place, None)
        error = ended.error if isinstance(ended, Raised) else None
        self._watches.tell(_ended(ready_call.call, outcome, error))


def _ended(call: ToolCall, outcome: ToolOutcome, error: BaseException | None = None) -> ToolCallEnded:
    return ToolCallEnded(outcome.index, call, outcome.text, outcome.failure, error, outcome.terminal)


def _work(run: Callable[[], Any]) -> Callable[[], Awaitable[str | Raised]]:
    return partial(call_then, run, to_text)


def _outcome(ready_call: _ReadyCall, ended: str | Raised | TimedOut) -> ToolOutcome:
    if isinstance(ended, Raised):
        return _failed(ready_call.place, _Failure(_kind(ended.error), error_text(ended.error)))
    if isinstance(ended, TimedOut):
        return _failed(ready_call.place, _Failure("timeout", _timeout_text(ready_call, ended)))
    return ToolOutcome(ready_call.place, ended, terminal=ready_call.tool.terminal)


def _kind(error: BaseException) -> ToolFailure:
    """Whether all that was raised is meant to be seen."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return "tool_error" if all(_kind(inner) == "tool_error" for inner in group.exceptions) else "error"
    is_tool_error = isinstance(error, ToolError) and not isinstance(error, NoJsonFormError)
    return "tool_error" if is_tool_error else "error"


def _failed(index: int, failure: _Failure) -> ToolOutcome:
    return ToolOutcome(index, without_surrogates(failure.text), failure.kind)


def _malformed_text(problem: str) -> str:
    return f"This call was not run: {problem}. Call the tool again, with its arguments as one JSON object."


def _misfit_text(tool: Tool[..., Any, Any], problems: str) -> str:
    argument_names = ", ".join(tool.parameters.get("properties", ())) or "none"
    return (
        f"This call was not run, because its arguments do not fit the tool {tool.name}:\n{problems}\n"
        f"Its arguments are: {argument_names}."
    )


def _timeout_text(ready_call: _ReadyCall, late: TimedOut) -> str:
    if not late.started:
        return OUT_OF_TIME
    still_running = "" if is_async(ready_call.run) else " It may still be running."
    tool: Tool[..., Any, Any] = ready_call.tool
    if late.deadline:
        return f"The tool {tool.name} was stopped: the turn is out of time.{still_running}"
    return f"The tool {tool.name} did not finish within {tool.timeout:g} seconds.{still_running}"
