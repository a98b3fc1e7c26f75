"""Makes the messages that a turn adds to the conversation, and the conversation that a model is sent."""

from __future__ import annotations

from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn.inputs import Judged
from finalturn._core.turn.state import State

NO_MORE_TOOLS = "This call was not run: the turn may run no more tools."


def tool_message(call: ToolCall, outcome: ToolOutcome) -> Message:
    """The TOOL message of one outcome."""
    return Message(
        Role.TOOL,
        outcome.text,
        tool_name=call.name,
        tool_call_id=call.id,
        tool_result=outcome.text if outcome.failure is None else None,
        tool_failure=outcome.failure,
    )


def calling_message(item: Judged) -> Message:
    """The ASSISTANT message that asks for tools, with the text of it that was shown."""
    return Message(Role.ASSISTANT, item.shown, tool_calls=item.response.tool_calls)


def refusals(item: Judged) -> list[Message]:
    """The TOOL messages of calls that the turn may not run any more."""
    calls = item.response.tool_calls
    return [
        tool_message(call, ToolOutcome(index, NO_MORE_TOOLS, "policy")) for index, call in enumerate(calls)
    ]


def bubble(item: Judged) -> str:
    """What a converged response leaves in the conversation when its text is not the answer.

    It is what was shown; where nothing was, it is the whole text, or the turn would vanish.
    """
    return item.shown if item.shown.strip() else item.response.content


def conversation(state: State) -> tuple[Message, ...]:
    """History, injections, this turn's USER messages and what was added: what a model call is sent."""
    setup = state.setup
    return (*setup.history, *setup.injections, *setup.user, *state.added)
