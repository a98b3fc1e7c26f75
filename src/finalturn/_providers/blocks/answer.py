"""The base of an answer in a format of content blocks: the events that come at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from finalturn._core.model import ModelEnd, ModelEvent
from finalturn._providers.answers.answer import BaseAnswer
from finalturn._providers.answers.usage import UsageFormat
from finalturn._providers.blocks.blocks import AnswerBlocks

BlocksT = TypeVar("BlocksT", bound=AnswerBlocks[Any])


class BlockAnswer(BaseAnswer, Generic[BlocksT]):
    """The state of one answer, built from its records.

    Calls are given at the end, as a refusal takes them back: a classifier or a guardrail may stop the model
    in the midst of one.

    Args:
        form: where the vendor reports usage.
        blocks: takes the content.
        secret: the key, which is taken out of whatever the server says of an error.
        keep: makes of the thoughts and their places what is kept with the first call.
    """

    def __init__(
        self,
        form: UsageFormat,
        blocks: BlocksT,
        secret: str | None,
        keep: Callable[[list[Any]], Mapping[str, Any] | None],
    ) -> None:
        super().__init__(form, secret)
        self._blocks = blocks
        self._keep = keep

    @property
    def size(self) -> int:
        """About how many characters of text, thoughts and calls there are."""
        return self._blocks.size

    def end(self) -> list[ModelEvent]:
        """The answer is complete: its calls, and its end."""
        reason = self.reason or ("tool_calls" if self._blocks.has_calls else "stop")
        usage = self._tokens.usage()
        if reason == "refusal":
            return [ModelEnd(reason, usage)]
        data = self._keep(self._blocks.layout()) if self._blocks.has_calls else None
        return [*self._blocks.calls(data), ModelEnd(reason, usage)]
