"""Whatever an agent does that runs as a tool: the outer turn is as with any tool, and pays for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from finalturn import (
    Agent,
    AgentResult,
    Message,
    ModelEnd,
    ProviderError,
    StreamChunk,
    StructuredOutputConfig,
    Tool,
    ToolCall,
    ToolError,
    Usage,
    tool,
)
from finalturn.providers import Scripted
from tests.agent._nested import Finding

UNREPORTED = Usage(unreported_calls=1)
TEXTS = st.sampled_from(["Look. ", " ", '{"answer": 7}', '{"answer": "x"}', "{", "é😀", ""])
THOUGHTS = st.sampled_from(["hm", " "]).map(Scripted.reasoning)
ENDS: list[Any] = [None, None, None, ModelEnd("length"), ModelEnd("refusal"), ProviderError("down")]
CONFIGS = [
    StructuredOutputConfig(),
    StructuredOutputConfig(final_turn_only=True),
    StructuredOutputConfig(final_turn_only=True, hold_json=True),
]


@tool
def lookup(order: str) -> str:
    """Looks up."""
    return f"{order} is on its way"


@tool
def fail(order: str) -> str:
    """Fails."""
    raise ValueError("no such order")


@st.composite
def scripts(draw: st.DrawFn, names: Sequence[str], most: int) -> list[tuple[list[Any], Usage]]:
    """What a model does, call by call, and what each counts for."""
    found: list[tuple[list[Any], Usage]] = []
    for number in range(draw(st.integers(1, most))):
        items: list[Any] = draw(st.lists(st.one_of(TEXTS, TEXTS, THOUGHTS), max_size=3))
        for place in range(draw(st.integers(0, 3)) if draw(st.booleans()) else 0):
            name = draw(st.sampled_from(names))
            arguments = {"task": "find it"} if name == "ask" else {"order": "A"}
            items.append(ToolCall(name, arguments, f"{name}-{number}-{place}"))
        usage = draw(st.sampled_from([None, Usage(number + 1, 0, 1, 0, number + 2)]))
        end = draw(st.sampled_from(ENDS))
        if isinstance(end, ProviderError):
            items, usage = [*items, end], None
        elif end is not None:
            items = [*items, ModelEnd(end.finish_reason, usage)]
        elif usage is not None:
            items = [*items, usage]
        counts = UNREPORTED if usage is None else usage
        found.append((items, counts))
    return found


def script_of(calls: Sequence[tuple[list[Any], Usage]]) -> Scripted:
    """A model that answers so; a turn writes its usage into the error that ends it, so each has its own."""
    answers = [
        [ProviderError("down") if isinstance(item, ProviderError) else item for item in items]
        for items, _ in calls
    ]
    return Scripted(*answers, then="The end.")


def used(script: Scripted, calls: Sequence[tuple[list[Any], Usage]]) -> Usage:
    """What the calls count for that have been made."""
    counts = [usage for _, usage in calls]
    made = len(script.requests)
    return sum([*counts, *[UNREPORTED] * made][:made], Usage())


def played(
    outer: Sequence[tuple[list[Any], Usage]], asking: Tool[..., Any, Any]
) -> tuple[list[StreamChunk], AgentResult[Any] | BaseException, Usage, Usage]:
    """The chunks, the result or the error, the stream's usage, and what the outer model's calls count for."""
    script = script_of(outer)
    agent = Agent(script, tools=[lookup, fail, asking], parallel_tools=False, max_iterations=4)
    chunks: list[StreamChunk] = []
    with agent.stream("?") as stream:
        try:
            for item in stream:
                if isinstance(item, AgentResult):
                    return chunks, item, stream.usage, used(script, outer)
                chunks.append(item)
        except ProviderError as error:
            return chunks, error, stream.usage, used(script, outer)
    raise AssertionError("a turn ends with a result or an error")


def replaying(outcomes: Sequence[Message]) -> Tool[..., Any, Any]:
    """A plain tool that comes to the same."""
    left = list(outcomes)

    def ask(task: str) -> str:
        outcome = left.pop(0)
        if outcome.tool_failure == "tool_error":
            raise ToolError(outcome.content)
        if outcome.tool_result is None:
            name, _, words = outcome.content.partition(": ")
            raise type(name, (Exception,), {})(words)
        return outcome.tool_result

    return Tool(ask)


@settings(deadline=None)
@given(
    scripts(["ask", "ask", "lookup", "fail"], 3),
    scripts(["lookup", "fail"], 4),
    st.sampled_from([None, Finding]),
    st.sampled_from(CONFIGS),
)
def test_the_outer_turn_is_as_with_any_tool_and_its_usage_is_the_sum(
    outer: list[tuple[list[Any], Usage]],
    inner: list[tuple[list[Any], Usage]],
    response_format: Any,
    config: StructuredOutputConfig,
) -> None:
    found: list[tuple[list[StreamChunk], AgentResult[Any] | BaseException, Usage, Usage]] = []
    spent: list[Usage] = []
    for show in (False, True):
        script = script_of(inner)
        agent = Agent(
            script,
            tools=[lookup, fail],
            response_format=response_format,
            structured_output=config,
            max_iterations=3,
        )
        found.append(played(outer, agent.as_tool("ask", "Finds.", show=show)))
        spent.append(used(script, inner))
    hidden, shown = found
    outcomes = [chunk.tool_message for chunk in hidden[0] if chunk.tool_message is not None]
    plain = played(outer, replaying([one for one in outcomes if one.tool_name == "ask"]))
    own = [chunk for chunk in shown[0] if chunk.activity is None]
    assert own == hidden[0] == plain[0]
    assert shown[3] == hidden[3] == plain[3]
    for (_, end, usage, of_outer), of_inner in ((hidden, spent[0]), (shown, spent[1]), (plain, Usage())):
        assert usage == of_outer + of_inner
        if isinstance(end, AgentResult):
            assert end.usage == usage
            assert isinstance(plain[1], AgentResult)
            assert _but_usage(end) == _but_usage(plain[1])
        else:
            assert isinstance(end, ProviderError)
            assert (str(end), end.usage) == (str(plain[1]), usage)


def _but_usage(result: AgentResult[Any]) -> tuple[Any, ...]:
    return (
        result.content,
        result.text,
        result.messages,
        result.tool_calls,
        result.model_calls,
        result.answer_call,
        result.stop_reason,
    )
