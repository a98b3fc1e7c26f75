"""Runs a batch of tool calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from finalturn._adapters.in_time import OutOfTime, in_time
from finalturn._adapters.watches import Watches
from finalturn._core.chunks import NestedActivity
from finalturn._core.messages import Message, ToolCall
from finalturn._core.observers import ToolCallEnded, ToolCallStarted
from finalturn._core.protocols import ContextGate, ToolGate
from finalturn._core.result import Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._tools.arguments import ArgumentsError, quote
from finalturn._tools.ask_gates import GateChain
from finalturn._tools.call_contexts import CallContexts
from finalturn._tools.calling import call_then
from finalturn._tools.contain import Job, Raised, contain
from finalturn._tools.context_parameter import ContextParameter
from finalturn._tools.outcomes import OUT_OF_TIME, Ended, Failure, ReadyCall, ended_event, failed, outcome_of
from finalturn._tools.result_text import to_text
from finalturn._tools.shown import ShownCalls
from finalturn._tools.tool import Tool, activity_of, prepare

__all__ = ["MOST_AT_A_TIME", "ToolRunner"]

MOST_AT_A_TIME = 16


class _Batch(NamedTuple):
    calls: Sequence[ToolCall]
    outcomes: dict[int, ToolOutcome]


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
        self._shown: ShownCalls | None = None
        self._batch: _Batch | None = None

    async def run(self, calls: Sequence[ToolCall], messages: Sequence[Message]) -> list[ToolOutcome]:
        """Run a batch; the outcomes in call order. Those of calls that show what they do come afterwards.

        Every call is validated and put to the gates, in order, before any of them runs. Whatever a tool
        or a gate raises is an outcome, except `KeyboardInterrupt`, which is raised itself.

        Args:
            calls: what one model call asked for.
            messages: the conversation, up to and including the message that asks for the calls.
        """
        outcomes: dict[int, ToolOutcome] = {}
        ready: list[ReadyCall] = []
        conversation = tuple(messages)
        self._contexts.next_batch(conversation)
        for index, call in enumerate(calls):
            checked = await self._check_in_time(index, call, conversation)
            if isinstance(checked, ReadyCall):
                ready.append(checked)
            else:
                outcomes[index] = self._contexts.with_usage(failed(index, checked))
                if self._watches is not None:
                    self._watches.tell(ended_event(call, outcomes[index]))
        quiet = [ready_call for ready_call in ready if activity_of(ready_call.tool) is None]
        if quiet:
            outcomes.update(await self._run(quiet))
        if len(quiet) < len(ready):
            self._shown = self._shown_calls(ready)
            self._batch = _Batch(calls, outcomes)
        else:
            self._contexts.note(calls, outcomes)
        for index in outcomes:
            self._contexts.settle(index)
        return [outcomes[index] for index in sorted(outcomes)]

    @property
    def shows(self) -> bool:
        """Whether calls of the batch are left that show what they do."""
        return self._shown is not None

    @property
    def usage(self) -> Usage:
        """Tokens of turns that calls of the batch run which have no outcome yet."""
        return self._contexts.usage

    async def next_shown(self) -> NestedActivity | ToolOutcome | None:
        """What the calls that show what they do show or come to next; ``None`` when the batch is over."""
        assert self._shown is not None and self._batch is not None, "asked only while there are such calls"
        piece = await self._shown.next()
        if isinstance(piece, ToolOutcome):
            self._batch.outcomes[piece.index] = piece
            self._contexts.settle(piece.index)
        if piece is None:
            self._contexts.note(*self._batch)
            self._shown = None
        return piece

    async def aclose(self) -> None:
        """Stop the call that shows what it does, if one is under way."""
        shown, self._shown = self._shown, None
        if shown is not None:
            await shown.aclose()

    def _shown_calls(self, ready: Sequence[ReadyCall]) -> ShownCalls:
        from anyio import get_cancelled_exc_class

        shown = [(item, opens) for item in ready if (opens := activity_of(item.tool)) is not None]
        cancelled = get_cancelled_exc_class()
        return ShownCalls(shown, self._outcome, self._watches, self._deadline, cancelled)

    async def _run(self, ready: Sequence[ReadyCall]) -> Mapping[int, ToolOutcome]:
        if self._watches is not None:
            return await _WatchedBatch(ready, self._watches, self._outcome).run(self._limit, self._deadline)
        jobs = [Job(_work(ready_call.run), ready_call.tool.timeout) for ready_call in ready]
        ended = await contain(jobs, limit=self._limit, deadline=self._deadline)
        return {
            ready_call.place: self._outcome(ready_call, end)
            for ready_call, end in zip(ready, ended, strict=True)
        }

    def _outcome(self, ready_call: ReadyCall, ended: Ended) -> ToolOutcome:
        return self._contexts.with_usage(outcome_of(ready_call, ended))

    async def _check_in_time(
        self, index: int, call: ToolCall, messages: Sequence[Message]
    ) -> ReadyCall | Failure:
        if self._deadline is None:
            return await self._check(index, call, messages)
        try:
            return await in_time(self._deadline, partial(self._check, index, call, messages))
        except OutOfTime:
            return Failure("timeout", OUT_OF_TIME)

    async def _check(self, index: int, call: ToolCall, messages: Sequence[Message]) -> ReadyCall | Failure:
        if call.error is not None:
            return Failure("arguments", _malformed_text(call.error))
        tool = self._tools.get(call.name)
        if tool is None:
            return Failure("unknown_tool", self._unknown(call.name))
        context = partial(self._contexts.of_call, index, call)
        try:
            run = prepare(tool, call, context)
        except ArgumentsError as error:
            return Failure("arguments", _misfit_text(tool, str(error)))
        denial = await self._gates.ask(call, messages, context)
        if denial is not None:
            return Failure(denial.kind, f"This call was not run: {denial.reason}")
        return ReadyCall(index, call, tool, run)

    def _unknown(self, name: str) -> str:
        if not self._tools:
            return f"There is no tool named {quote(name)}: there are no tools."
        return f"There is no tool named {quote(name)}. The tools are: {', '.join(self._tools)}."


class _WatchedBatch:
    """Runs tools, each in the contexts of those who watch, and tells them."""

    def __init__(
        self,
        ready: Sequence[ReadyCall],
        watches: Watches,
        outcome: Callable[[ReadyCall, Ended], ToolOutcome],
    ) -> None:
        self._ready = ready
        self._watches = watches
        self._outcome = outcome
        self._running: dict[int, ReadyCall] = {}
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

    async def _work(self, ready_call: ReadyCall) -> str | Raised:
        started = ToolCallStarted(ready_call.place, ready_call.call)
        self._running[ready_call.place] = ready_call
        self._watches.tell(started)
        with self._watches.around(started):
            return await _work(ready_call.run)()

    def _end(self, index: int, ended: Ended) -> None:
        ready_call = self._ready[index]
        outcome = self._outcomes[ready_call.place] = self._outcome(ready_call, ended)
        self._running.pop(ready_call.place, None)
        error = ended.error if isinstance(ended, Raised) else None
        self._watches.tell(ended_event(ready_call.call, outcome, error))


def _work(run: Callable[[], Any]) -> Callable[[], Awaitable[str | Raised]]:
    return partial(call_then, run, to_text)


def _malformed_text(problem: str) -> str:
    return f"This call was not run: {problem}. Call the tool again, with its arguments as one JSON object."


def _misfit_text(tool: Tool[..., Any, Any], problems: str) -> str:
    argument_names = ", ".join(tool.parameters.get("properties", ())) or "none"
    return (
        f"This call was not run, because its arguments do not fit the tool {tool.name}:\n{problems}\n"
        f"Its arguments are: {argument_names}."
    )
