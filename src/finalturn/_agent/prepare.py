"""Makes the machine's setup of a call: loads the session, and evaluates prompt and context, once a turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from finalturn._adapters.in_time import OutOfTime, in_time
from finalturn._adapters.threaded import settle
from finalturn._agent.contexts import TurnContexts
from finalturn._agent.options import Text
from finalturn._agent.spec import AgentSpec, TurnSpec
from finalturn._agent.stores import load_history
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.limits import LimitName
from finalturn._core.messages import Message
from finalturn._core.output import Output, as_object
from finalturn._core.protocols import SessionHistory
from finalturn._core.run_context import RunContext
from finalturn._core.turn import Mode, TurnSetup
from finalturn._tools.context_parameter import with_context
from finalturn._tools.tool import availability


class Prepared(NamedTuple):
    """A turn that can begin.

    Attributes:
        turn: the call of the agent, with the tools that this turn offers.
        setup: what the machine may know.
        version: the version of the session that the turn starts from; 0 without one, and ``None`` where it
            could not be loaded in time.
        limit: what forbids to begin: time was up before all was there; ``None`` otherwise.
    """

    turn: TurnSpec
    setup: TurnSetup
    version: int | None
    limit: LimitName | None = None


async def prepare(turn: TurnSpec, contexts: TurnContexts, deadline: float | None = None) -> Prepared:
    """Load the session, evaluate prompt and context, and fix what the machine may know.

    Args:
        turn: the call of the agent.
        contexts: makes the context, for the functions that ask for it.
        deadline: when it has to be done, as ``time.monotonic`` tells the time; ``None`` for never.
    """
    stored: SessionHistory | None = None
    try:
        stored = await in_time(deadline, partial(load_session, turn))
        return await in_time(deadline, partial(_prepared, turn, contexts, stored))
    except OutOfTime:
        history = turn.history if stored is None else (*stored.messages, *turn.history)
        version = None if stored is None else stored.version
        return Prepared(turn, _setup(turn, "", history, ()), version, "seconds")


async def _prepared(turn: TurnSpec, contexts: TurnContexts, stored: SessionHistory) -> Prepared:
    history: Sequence[Message] = (*stored.messages, *turn.history) if stored.messages else turn.history
    conversation = (*history, *turn.user) if turn.agent.asked or turn.agent.conditional else ()
    in_context = partial(contexts.make, conversation)
    turn = await _with_offered_tools(turn, in_context)
    agent = turn.agent

    async def text_of(text: Text[Any], label: str) -> str:
        bound = with_context(text, agent.asked.get(label), in_context) if callable(text) else text
        return await evaluate(bound, label)

    system = await text_of(agent.system_prompt, "system_prompt")
    injections = [await text_of(text, f"context[{index}]") for index, text in enumerate(agent.context)]
    setup = _setup(turn, system, history, tuple(Message.system(text) for text in injections if text))
    return Prepared(turn, setup, stored.version)


async def _with_offered_tools(turn: TurnSpec, in_context: Callable[[], RunContext[Any]]) -> TurnSpec:
    """The turn without the tools that are not offered in it."""
    agent = turn.agent
    withheld: set[str] = set()
    for name in agent.conditional:
        available = availability(agent.tools[name])
        assert available is not None, "only tools that may be withheld are listed"
        if not as_bool(await settle(available(in_context())), f"available of the tool {name}"):
            withheld.add(name)
    if not withheld:
        return turn
    offered = {name: tool for name, tool in agent.tools.items() if name not in withheld}
    return replace(turn, agent=replace(agent, tools=offered))


def as_bool(answer: object, name: str) -> bool:
    """The answer of a function of the application to a yes or no question.

    Raises:
        TypeError: it is something else than a bool.
    """
    if not isinstance(answer, bool):
        raise TypeError(f"{name} must give a bool, not {type(answer).__name__}")
    return answer


async def load_session(turn: TurnSpec) -> SessionHistory:
    """The session's history; empty when the call names none."""
    store = turn.agent.sessions
    if store is None or turn.session is None:
        return SessionHistory()
    return await load_history(store, turn.session)


async def evaluate(text: Any, label: str) -> str:
    """A text, or what its callable gives.

    Raises:
        ConfigurationError: it is not a str.
    """
    value = await settle(text()) if callable(text) else text
    if not isinstance(value, str):
        raise ConfigurationError(f"{label} gave {described(value)}; it must give a str")
    return value


def _setup(
    turn: TurnSpec, system: str, history: Sequence[Message], injections: tuple[Message, ...]
) -> TurnSetup:
    agent, output = turn.agent, turn.output
    config = agent.config
    mode = Mode.PLAIN if output is None else Mode.FINAL_TURN if config.final_turn_only else Mode.DEFAULT
    native_schema = output is not None and agent.config.native and agent.capabilities.native_schema
    in_loop = native_schema and (not agent.tools or agent.capabilities.native_schema_with_tools)
    single_pass = mode is Mode.FINAL_TURN and config.single_pass and in_loop
    return TurnSetup(
        user=turn.user,
        history=history,
        injections=injections,
        system=system,
        tools=tuple(tool.spec for tool in agent.tools.values()),
        settings=agent.settings,
        output=output,
        native_output=_native_output(agent, output),
        mode=mode,
        single_pass=single_pass,
        hold=mode is Mode.FINAL_TURN and config.hold_json and not single_pass,
        partials=mode is Mode.FINAL_TURN and config.partial_objects,
        reuse=config.reuse_loop_answer,
        asks=config.should_finalize is not None,
        native_loop=single_pass or (mode is Mode.DEFAULT and in_loop),
        native_synthesis=native_schema,
        max_iterations=agent.max_iterations,
        max_retries=config.max_validation_retries,
    )


def _native_output(agent: AgentSpec, output: Output[Any] | None) -> Output[Any] | None:
    """The form of the response_format that the provider's schema mode takes."""
    if output is None or agent.capabilities.native_schema_any_root:
        return None
    return as_object(output)
