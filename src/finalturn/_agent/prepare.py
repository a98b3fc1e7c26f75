"""Makes the machine's setup of a call: loads the session, and evaluates prompt and context, once a turn."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from finalturn._agent.checks import Text
from finalturn._agent.spec import AgentSpec, TurnSpec
from finalturn._agent.stores import load_history
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import Message
from finalturn._core.output import Output, as_object
from finalturn._core.protocols import SessionHistory
from finalturn._core.turn import Mode, TurnSetup


async def prepare(turn: TurnSpec) -> tuple[TurnSetup, int]:
    """Load the session, evaluate prompt and context, and fix what the machine may know.

    Returns:
        The setup, and the version of the session that the turn starts from (0 without one).
    """
    agent = turn.agent
    stored = await load_session(turn)
    system = await evaluate(agent.system_prompt, "system_prompt")
    injections = [await evaluate(text, f"context[{index}]") for index, text in enumerate(agent.context)]
    history: Sequence[Message] = (*stored.messages, *turn.history) if stored.messages else turn.history
    return _setup(
        turn, system, history, tuple(Message.system(text) for text in injections if text)
    ), stored.version


async def load_session(turn: TurnSpec) -> SessionHistory:
    """The session's history; empty when the call names none."""
    store = turn.agent.sessions
    if store is None or turn.session is None:
        return SessionHistory()
    return await load_history(store, turn.session)


async def evaluate(text: Text, name: str) -> str:
    """A text, or what its callable gives.

    Raises:
        ConfigurationError: it is not a str.
    """
    value: Any = text() if callable(text) else text
    if inspect.isawaitable(value):
        value = await value
    if not isinstance(value, str):
        raise ConfigurationError(f"{name} gave {described(value)}; it must give a str")
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
