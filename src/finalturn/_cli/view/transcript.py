"""`Transcript`: what is to be seen of a turn, as a pure function of the chunks so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, assert_never

from finalturn import AgentResult, Message, NestedActivity, PartialObject, StreamChunk, StreamEvent, ToolCall
from finalturn._cli.view.blocks import Block, Bubble, Card, Notice, Question, Thought, ToolUse
from finalturn._core import json_text
from finalturn._core.chunks import presentation_of

__all__ = ["Transcript"]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A turn as blocks, top to bottom. Each item of a stream makes the next transcript of the last.

    Blocks are only ever added; one that stands changes in place.

    Attributes:
        blocks: what is to be seen.
        answer: what the structured answer is called; ``""`` when there is to be none.
        silent: nothing is shown of the text, so that the answer is pending from the start.
        waiting: the model has been asked, and nothing has come yet.
        ended: nothing more will come.
    """

    blocks: tuple[Block, ...] = ()
    answer: str = ""
    silent: bool = False
    waiting: bool = True
    ended: bool = False

    @classmethod
    def of(cls, question: str, *, answer: str = "", silent: bool = False) -> Transcript:
        """A turn that begins with the person's question."""
        return cls((Question(question),), answer, silent)

    def after(self, item: StreamChunk | AgentResult[Any]) -> Transcript:
        """The transcript once this has come, too."""
        match item:
            case AgentResult():
                return self._with_result(item)
            case StreamChunk(content=str(text)) if text:
                return self._with_text(Bubble, text, item.call)
            case StreamChunk(reasoning=str(text)) if text:
                return self._with_text(Thought, text, item.call)
            case StreamChunk(tool_calls=[ToolCall() as call]):
                return self._with(ToolUse(call))
            case StreamChunk(tool_message=Message() as outcome):
                return self._with_outcome(outcome)
            case StreamChunk(partial=PartialObject(value)):
                return self._with_partial(value)
            case StreamChunk(activity=NestedActivity() as activity):
                return self._with_activity(activity)
            case StreamChunk():
                assert item.event is not None, "a chunk has one purpose"
                return self._with_event(item.event, item.call)

    def broken_off(self, reason: str) -> Transcript:
        """The transcript of a turn that ends without a result."""
        blocks = _change(self._closed(), lambda block: _failed(block, reason))
        return replace(self, blocks=blocks, waiting=False, ended=True)

    def _with(self, block: Block) -> Transcript:
        return replace(self, blocks=(*self._closed(), block), waiting=False)

    def _with_text(self, kind: type[Bubble] | type[Thought], text: str, call: int) -> Transcript:
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, kind) and last.open and last.call == call:
            grown = replace(last, text=last.text + text)
            return replace(self, blocks=(*self.blocks[:-1], grown), waiting=False)
        return self._with(kind(text, call))

    def _with_outcome(self, outcome: Message) -> Transcript:
        # Outcomes come in the order of the calls.
        blocks = list(self.blocks)
        for place, block in enumerate(blocks):
            if isinstance(block, ToolUse) and block.outcome is None:
                inside = tuple(inner for inner in _closed_blocks(block.inside) if not _is_pending(inner))
                blocks[place] = replace(block, outcome=outcome, inside=inside)
                break
        return replace(self, blocks=tuple(blocks), waiting=True)

    def _with_activity(self, activity: NestedActivity) -> Transcript:
        # Outcomes of a batch come once all of its calls have ended: the open ones are those of the batch.
        blocks = list(self.blocks)
        running = [
            place
            for place, block in enumerate(blocks)
            if isinstance(block, ToolUse) and block.outcome is None
        ]
        place = running[activity.index]
        use = blocks[place]
        assert isinstance(use, ToolUse), "the places are those of tool calls"
        blocks[place] = replace(use, inside=Transcript(use.inside).after(activity.chunk).blocks)
        return replace(self, blocks=tuple(blocks), waiting=False)

    def _with_event(self, event: StreamEvent, call: int) -> Transcript:
        kind = presentation_of(event).kind
        match kind:
            case "pending":
                return self._with(Card(self.answer, event))
            case "replace":
                # The text was the object: the bubbles of that call become its card.
                blocks = _change(self.blocks, lambda block: _emptied(block, call))
                return replace(self, blocks=blocks)._with(Card(self.answer, event))
            case "notice":
                # A remark says nothing of the model, which may still be waited for.
                return replace(self._with(Notice(event)), waiting=self.waiting)
            case _:
                assert_never(kind)

    def _with_partial(self, value: Any) -> Transcript:
        blocks = _change(self.blocks, lambda block: _grown(block, value))
        return replace(self, blocks=blocks, waiting=False)

    def _with_result(self, result: AgentResult[Any]) -> Transcript:
        blocks = self._closed()
        card = _card(result, self.answer)
        pending = next((block for block in blocks if isinstance(block, Card)), None)
        if pending is not None and card is not None:
            settled = replace(card, origin=pending.origin)
            blocks = _change(blocks, lambda block: settled if block is pending else block)
        elif card is not None:
            blocks = (*blocks, card)
        elif not result.text.strip() and result.content.strip() and result.stop_reason != "terminal_tool":
            # Held back as long as it might have been the object; it was not.
            blocks = (*blocks, Bubble(result.content, result.model_calls - 1, open=False))
        return replace(self, blocks=blocks, waiting=False, ended=True)

    def _closed(self) -> tuple[Block, ...]:
        return _closed_blocks(self.blocks)


def _change(blocks: tuple[Block, ...], change: Callable[[Block], Block]) -> tuple[Block, ...]:
    return tuple(change(block) for block in blocks)


def _closed_blocks(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    return _change(blocks, _closed_block)


def _is_pending(block: Block) -> bool:
    return isinstance(block, Card) and block.state == "pending"


def _closed_block(block: Block) -> Block:
    return replace(block, open=False) if isinstance(block, (Bubble, Thought)) and block.open else block


def _emptied(block: Block, call: int) -> Block:
    if isinstance(block, Bubble) and block.call == call:
        return replace(block, text="", open=False)
    return block


def _grown(block: Block, value: Any) -> Block:
    if isinstance(block, Card) and block.state == "pending":
        return replace(block, value=value)
    return block


def _failed(block: Block, reason: str) -> Block:
    if isinstance(block, Card) and block.state == "pending":
        return replace(block, state="failed", reason=reason)
    return block


def _card(result: AgentResult[Any], title: str) -> Card | None:
    if result.structured_status == "ok":
        try:
            value = json_text.decode(result.content)
        except ValueError:
            value = result.content
        return Card(title, state="ready", value=value)
    if result.structured_status == "validation_failed":
        return Card(title, state="failed", reason=result.structured_error or "")
    return None
