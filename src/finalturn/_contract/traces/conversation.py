"""Works out, from the records of a turn, the messages that its conversation must consist of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from finalturn._contract.traces.records import TurnResult
from finalturn._contract.traces.turn import TracedCall, TracedTurn
from finalturn._core.messages import Message, Role

__all__ = ["conversation", "first_difference", "messages_of_turn"]


def conversation(turn: TracedTurn, place: int) -> tuple[Message, ...]:
    """History, injections, the user's messages, and the tool exchanges before that place."""
    setup = turn.setup
    return (*setup.history, *setup.injections, *setup.user, *_exchanges(turn, place))


def messages_of_turn(turn: TracedTurn, place: int, result: TurnResult) -> tuple[Message, ...]:
    """What the turn leaves: the user's messages, the tool exchanges, and what it ended with.

    Args:
        turn: the turn.
        place: that of the result.
        result: the result, which says how the turn came out.
    """
    return (*turn.setup.user, *_exchanges(turn, place), *_last(turn, result))


def first_difference(messages: Sequence[Message], expected: Sequence[Message]) -> int | None:
    """The first place where they differ; ``None`` when they do not. A trace has no ``tool_failure``."""
    for number, (message, other) in enumerate(zip(messages, expected, strict=False)):
        if message != other and replace(message, tool_failure=None) != replace(other, tool_failure=None):
            return number
    return None if len(messages) == len(expected) else min(len(messages), len(expected))


def _exchanges(turn: TracedTurn, place: int) -> Iterator[Message]:
    for call in turn.loop:
        for batch in call.batches:
            if batch.place < place:
                shown = "".join(piece for at, piece in call.pieces if at < batch.place)
                yield Message(Role.ASSISTANT, shown, tool_calls=batch.started.calls)
                yield from batch.messages
        if call.refusals and call.refused[0][0] < place:
            assert call.end is not None, "what was refused was asked for"
            yield Message(Role.ASSISTANT, call.shown, tool_calls=call.end[1].tool_calls)
            yield from call.refusals


def _last(turn: TracedTurn, result: TurnResult) -> Iterator[Message]:
    """The message that the turn ended with, when it said anything.

    Text that was the answer itself is not said twice. Where nothing was shown of a text that is no answer,
    it stands there whole, or the turn would vanish.
    """
    if result.stop_reason in ("terminal_tool", "iteration_limit") or not turn.loop:
        return
    call = turn.loop[-1]
    if result.stop_reason == "limit_reached":
        yield from _left(call)
    elif result.structured_status == "ok":
        text = call.shown if turn.synthesis else ""
        yield Message(Role.ASSISTANT, text, structured=result.content)
    elif text := _bubble(call):
        yield Message(Role.ASSISTANT, text)


def _left(call: TracedCall) -> Iterator[Message]:
    """What a turn that a limit ended leaves of its last loop call, beside its tools."""
    text = call.shown if call.end is None else _bubble(call)
    if text.strip() and not call.batches and not call.refused:
        yield Message(Role.ASSISTANT, text)


def _bubble(call: TracedCall) -> str:
    text = call.shown if call.shown.strip() else call.content
    return text if text.strip() else ""
