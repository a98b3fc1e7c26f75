"""The conversation that a recorded turn makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from finalturn._contract.traces.records import TurnResult
from finalturn._contract.traces.turn import Call, Turn
from finalturn._core.messages import Message, Role

__all__ = ["conversation", "first_difference", "messages_of_turn"]


def conversation(turn: Turn, place: int) -> tuple[Message, ...]:
    """History, injections, the user's messages, and the tool exchanges before that place."""
    setup = turn.setup
    return (*setup.history, *setup.injections, *setup.user, *_exchanges(turn, place))


def messages_of_turn(turn: Turn, place: int, result: TurnResult) -> tuple[Message, ...]:
    """What the turn leaves: the user's messages, the tool exchanges, and what it ended with.

    Args:
        turn: the turn.
        place: that of the result.
        result: the result, which says how the turn came out.
    """
    return (*turn.setup.user, *_exchanges(turn, place), *_last(turn, result))


def first_difference(found: Sequence[Message], wanted: Sequence[Message]) -> int | None:
    """The first place where they differ; ``None`` when they do not. A trace has no ``tool_failure``."""
    for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
        if one != other and replace(one, tool_failure=None) != replace(other, tool_failure=None):
            return number
    return None if len(found) == len(wanted) else min(len(found), len(wanted))


def _exchanges(turn: Turn, place: int) -> Iterator[Message]:
    for call in turn.loop:
        for batch in call.batches:
            if batch.place < place:
                shown = "".join(piece for at, piece in call.pieces if at < batch.place)
                yield Message(Role.ASSISTANT, shown, tool_calls=batch.started.calls)
                yield from batch.messages


def _last(turn: Turn, result: TurnResult) -> Iterator[Message]:
    """The message that the turn ended with, when it said anything.

    Text that was the answer itself is not said twice. Where nothing was shown of a text that is no answer,
    it stands there whole, or the turn would vanish.
    """
    if result.stop_reason in ("terminal_tool", "iteration_limit") or not turn.loop:
        return
    call = turn.loop[-1]
    if result.structured_status == "ok":
        said = call.shown if turn.synthesis else ""
        yield Message(Role.ASSISTANT, said, structured=result.content)
    elif text := _bubble(call):
        yield Message(Role.ASSISTANT, text)


def _bubble(call: Call) -> str:
    text = call.shown if call.shown.strip() else call.content
    return text if text.strip() else ""
