"""Carries out what the turn's machine asks for, and gives the inputs that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from finalturn._adapters.events import for_turn, open_events
from finalturn._adapters.in_time import in_time
from finalturn._adapters.threaded import settle
from finalturn._agent.contexts import TurnContexts
from finalturn._agent.loop import shielded
from finalturn._agent.model_call import ModelCall, TimedModelCall
from finalturn._agent.prepare import as_bool
from finalturn._agent.request import adapt
from finalturn._agent.spec import TurnSpec
from finalturn._agent.stores import ask_store
from finalturn._core.errors import SessionError
from finalturn._core.result import AgentResult, Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import (
    Action,
    AskFinalize,
    CallModel,
    Decided,
    Input,
    RunTools,
    Saved,
    SaveTurn,
    ToolReturned,
    ToolsFinished,
    ToolShows,
)
from finalturn._tools.call_contexts import CallContexts
from finalturn._tools.context_parameter import with_context
from finalturn._tools.run import ToolRunner

if TYPE_CHECKING:
    from finalturn._agent.notifier import Notifier


class Performer:
    """Carries out the actions of one turn.

    Args:
        turn: the call of the agent.
        version: the version of the session that it started from; ``None`` where it could not be loaded in
            time, and nothing is saved.
        contexts: makes the context, for the functions that ask for it.
        notifier: tells those who observe the turn; ``None`` where nobody does.
        deadline: when what is under way is to stop, as ``time.monotonic`` tells the time; ``None`` for never.

    Raises:
        ConfigurationError: what the provider makes of itself for a turn is no provider.
    """

    def __init__(
        self,
        turn: TurnSpec,
        version: int | None,
        contexts: TurnContexts,
        notifier: Notifier | None = None,
        deadline: float | None = None,
    ) -> None:
        agent = turn.agent
        self._turn = turn
        self._version = version
        self._contexts = contexts
        self._provider = for_turn(agent.provider)
        self._notifier = notifier
        self._deadline = deadline
        watches = None if notifier is None else notifier.watches
        self._tools = ToolRunner(
            agent.tools,
            agent.gates,
            CallContexts(contexts.make),
            parallel=agent.parallel_tools,
            gate_contexts=agent.gate_contexts,
            watches=watches,
            deadline=deadline,
        )

    def call_model(self, action: CallModel) -> ModelCall:
        """Begin a model call."""
        agent = self._turn.agent
        request = action.request
        offered = bool(request.tools) and request.settings.tool_choice != "none"
        in_text = offered and not agent.capabilities.native_tools
        make = partial(open_events, self._provider, adapt(request, agent.capabilities))
        events = make() if self._notifier is None else self._notifier.events(make)
        text_tools = agent.tools.keys() if in_text else None
        if self._deadline is not None:
            return TimedModelCall(events, text_tools, self._deadline)
        return ModelCall(events, text_tools)

    async def perform(self, action: Action) -> Sequence[Input]:
        """Carry out any other action; its outcomes, in order.

        Raises:
            OutOfTime: the time came before the predicate answered.
        """
        match action:
            case RunTools():
                outcomes = await self._tools.run(action.calls, action.messages)
                return [*map(ToolReturned, outcomes), *(() if self._tools.shows else (ToolsFinished(),))]
            case AskFinalize():
                return [Decided(await in_time(self._deadline, partial(self._ask, action)))]
            case SaveTurn():
                await self._save(action.result)
                return [Saved()]
            case _:
                raise AssertionError(f"{type(action).__name__} is not carried out here")

    @property
    def shows(self) -> bool:
        """Whether tools of the batch are left that show what they do."""
        return self._tools.shows

    @property
    def usage(self) -> Usage:
        """Tokens of turns that tools run which have no outcome yet."""
        return self._tools.usage

    async def next_shown(self) -> Input:
        """What those tools show or come to next."""
        piece = await self._tools.next_shown()
        if piece is None:
            return ToolsFinished()
        return ToolReturned(piece) if isinstance(piece, ToolOutcome) else ToolShows(piece)

    async def aclose(self) -> None:
        """Stop the tool that shows what it does, if one is under way."""
        await self._tools.aclose()

    async def _ask(self, action: AskFinalize) -> bool:
        agent = self._turn.agent
        predicate = agent.config.should_finalize
        assert predicate is not None, "only a turn with a predicate asks it"
        in_context = partial(self._contexts.make, tuple(action.messages))
        ask = with_context(predicate, agent.asked.get("should_finalize"), in_context)
        return as_bool(await settle(ask(list(action.messages), action.last_response_text)), "should_finalize")

    async def _save(self, result: AgentResult[Any]) -> None:
        store, session, version = self._turn.agent.sessions, self._turn.session, self._version
        if store is None or session is None or version is None:
            return

        async def append() -> None:
            await ask_store(store, store.append, session, result.messages, version)

        try:
            await shielded(append)
        except SessionError as error:
            error.result = result
            raise
        except Exception as error:
            raise SessionError(
                f"the finished turn could not be saved ({type(error).__name__}); it stands in .result",
                result=result,
            ) from error
