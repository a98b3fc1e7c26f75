"""An agent as a tool of another."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, cast

from pydantic import Field

from finalturn._agent.checks import check_type
from finalturn._agent.meter import meter_of
from finalturn._agent.spec import TurnSpec
from finalturn._core.chunks import StreamChunk
from finalturn._core.errors import ConfigurationError, ToolError
from finalturn._core.limits import LIMIT_WORDS
from finalturn._core.result import AgentResult
from finalturn._core.run_context import RunContext, account_in, turn_in
from finalturn._tools import Tool
from finalturn._tools.call_contexts import CallAccount

if TYPE_CHECKING:
    from finalturn._agent.stream import AgentStream
    from finalturn._tools.tool import Available

__all__ = [
    "DEEPEST",
    "NestedAgent",
    "ToolParts",
    "agent_tool",
    "nested_turn",
    "refuse_cycle",
]

DEEPEST = 5
"""How many agents deep a turn may go."""

_TASK = (
    "What to do, in full: it knows nothing of this conversation, so say all that it needs, and what to "
    "answer with."
)

AgentTool: TypeAlias = Tool[..., Coroutine[Any, Any, str], Any]

OpenTurn: TypeAlias = Callable[[RunContext[Any], str], "AgentStream[Any]"]
"""Makes the turn of an agent, within the context of a tool call, for a task."""


class ToolParts(NamedTuple):
    """What the tool of an agent is, beside the agent."""

    name: str
    description: str
    show: bool
    timeout: float | None
    terminal: bool
    available: Available[Any] | None


class NestedAgent(NamedTuple):
    """An agent that is a tool.

    Attributes:
        identity: tells it from other agents; its copies share it.
        tools: its own tools.
    """

    identity: object
    tools: Mapping[str, Tool[..., Any, Any]]


def agent_tool(parts: ToolParts, agent: NestedAgent, deps_type: object, open_turn: OpenTurn) -> AgentTool:
    """The tool that an agent is.

    Args:
        parts: what it is beside the agent.
        agent: the agent.
        deps_type: what the deps of the agent's turns are; ``None`` where they have none.
        open_turn: makes a turn of the agent.

    Raises:
        ConfigurationError: a part cannot work.
    """
    check_type(parts.name, str, "name")
    check_type(parts.description, str, "description")
    check_type(parts.show, bool, "show")
    name = parts.name

    async def ask(ctx: RunContext[Any], task: Annotated[str, Field(description=_TASK)]) -> str:
        async with _opened(name, open_turn, ctx, task) as stream:
            async for _ in stream:
                pass
            return _answer(name, stream.result)

    def show(ctx: RunContext[Any], task: str) -> _ShownTurn:
        return _ShownTurn(name, _opened(name, open_turn, ctx, task))

    ask.__name__ = ask.__qualname__ = name
    made: AgentTool = Tool(
        cast("Callable[..., Coroutine[Any, Any, str]]", ask),
        name=name,
        description=parts.description,
        timeout=parts.timeout,
        terminal=parts.terminal,
        available=parts.available,
    )
    assert made._context is not None, "the function of an agent asks for the context"  # pyright: ignore[reportPrivateUsage]
    deps = object if deps_type is None else deps_type
    made._context = made._context._replace(deps=deps)  # pyright: ignore[reportPrivateUsage]
    made._activity = show if parts.show else None  # pyright: ignore[reportPrivateUsage]
    made._agent = agent  # pyright: ignore[reportPrivateUsage]
    return made


def refuse_cycle(tools: Sequence[Tool[..., Any, Any]], identity: object) -> None:
    """Refuse tools of one call through which the agent would be asked again.

    Raises:
        ConfigurationError: one of them is the agent itself, or an agent with a tool that is.
    """
    for tool in tools:
        agent = tool._agent  # pyright: ignore[reportPrivateUsage]
        if not isinstance(agent, NestedAgent):
            continue
        if agent.identity is identity:
            raise ConfigurationError(
                f"the tool {tool.name} is the agent itself, which cannot be asked while it waits; leave "
                "it out"
            )
        refuse_cycle(tuple(agent.tools.values()), identity)


def nested_turn(turn: TurnSpec, context: RunContext[Any]) -> TurnSpec:
    """A turn that a tool call runs.

    Args:
        turn: the turn, as if it ran by itself.
        context: of the tool call.
    """
    outer = turn_in(context)
    turn = replace(turn, outer=meter_of(context), run_id=_run_id_in(context))
    if not isinstance(outer, TurnSpec):
        return turn
    return replace(turn, agent=turn.agent.observed_by(outer.agent), lineage=(*outer.lineage, *turn.lineage))


def _run_id_in(context: RunContext[Any]) -> str | None:
    """The id of the next turn that a tool call runs; the same whenever this very call is run again.

    It is the call's idempotency key, and that of a second turn of the same call has its number behind it.
    """
    account = account_in(context)
    if not isinstance(account, CallAccount):
        return None
    return f"{context.idempotency_key}-{account.turns}" if account.turns else context.idempotency_key


class _ShownTurn:
    """The turn of an agent that shows what it does, as the activity of a tool."""

    def __init__(self, name: str, stream: AgentStream[Any]) -> None:
        self._name = name
        self._stream = stream

    async def next(self) -> StreamChunk | str:
        item = await anext(self._stream)
        return item if isinstance(item, StreamChunk) else _answer(self._name, item)

    async def aclose(self) -> None:
        await self._stream.aclose()


def _opened(name: str, open_turn: OpenTurn, context: RunContext[Any], task: str) -> AgentStream[Any]:
    stream = open_turn(context, task)
    _refuse_recursion(name, stream._turn.lineage)  # pyright: ignore[reportPrivateUsage]
    account = account_in(context)
    if isinstance(account, CallAccount):
        account.enter(stream)
    return stream


def _refuse_recursion(name: str, lineage: tuple[object, ...]) -> None:
    *outer, own = lineage
    if any(one is own for one in outer):
        raise ToolError(
            f"The agent {name} was not asked: it is at work on this already, and waits for what is done here."
        )
    if len(outer) > DEEPEST:
        raise ToolError(f"The agent {name} was not asked: agents ask agents at most {DEEPEST} deep.")


def _answer(name: str, result: AgentResult[Any]) -> str:
    """The result of the tool.

    Raises:
        ToolError: the turn came to no answer.
    """
    if result.structured_status == "ok":
        return result.content
    if result.stop_reason == "terminal_tool":
        last = result.messages[-1]
        return last.content if last.tool_result is not None else result.content
    if result.stop_reason == "completed" and result.structured_status != "validation_failed":
        return result.content
    raise ToolError(f"The agent {name} gave no answer: {_reason(result)}.")


def _reason(result: AgentResult[Any]) -> str:
    match result.stop_reason:
        case "iteration_limit":
            return "it still called tools when it had to be done"
        case "truncated":
            return "what it wrote was cut off by the token limit"
        case "refused":
            return "it refused"
        case "limit_reached":
            assert result.limit is not None, "a turn that reached a limit says which"
            return f"it reached its limit of {LIMIT_WORDS[result.limit]}"
        case _:
            return f"what it wrote is not the object that it should give ({result.structured_error})"
