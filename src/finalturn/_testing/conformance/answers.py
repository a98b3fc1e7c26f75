"""`ScriptedAnswer`: what a fake of a vendor is to answer to one model call, in no vendor's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, overload

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.scripted.items import Cut
from finalturn._support.keywords import checked_class
from finalturn.stability import beta

__all__ = ["ScriptedAnswer"]

AnswerItem: TypeAlias = ModelEvent | ProviderError | Cut


@beta(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class ScriptedAnswer(Sequence[AnswerItem]):
    """What a model does in one call, to be written in the words of any vendor.

    It is a sequence that `Scripted` and `ScriptedServer` play as it is. A fake of another wire sends
    ``events`` in order, and then ends in one of three ways: well, with ``end``; with ``error``; or, when
    ``cut``, by closing the connection with nothing more to say. A fake that answers with one body takes
    ``text``, ``reasoning``, ``tool_calls`` and ``end`` instead.

    Attributes:
        items: the events, the last a `ModelEnd`; or the error, or the cut, in the place of that.
    """

    items: tuple[AnswerItem, ...]

    @overload
    def __getitem__(self, index: int, /) -> AnswerItem: ...

    @overload
    def __getitem__(self, index: slice, /) -> tuple[AnswerItem, ...]: ...

    def __getitem__(self, index: int | slice, /) -> AnswerItem | tuple[AnswerItem, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def events(self) -> tuple[ModelEvent, ...]:
        """What the model says, piece by piece, its `ModelEnd` included where it has one."""
        kinds = (TextDelta, ReasoningDelta, ToolCallDelta, ModelEnd)
        return tuple(item for item in self.items if isinstance(item, kinds))

    @property
    def end(self) -> ModelEnd | None:
        """The finish reason and the tokens; ``None`` when the answer does not end well."""
        return next((item for item in self.items if isinstance(item, ModelEnd)), None)

    @property
    def error(self) -> ProviderError | None:
        """How the vendor fails, with ``status``, ``code``, and in ``detail`` its words; mostly ``None``.

        As the first item it is an HTTP error. After events it is what the vendor reports in mid-answer.
        """
        return next((item for item in self.items if isinstance(item, ProviderError)), None)

    @property
    def cut(self) -> bool:
        """Whether the connection closes after the events, without a terminal marker."""
        return any(isinstance(item, Cut) for item in self.items)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(item.text for item in self.items if isinstance(item, TextDelta))

    @property
    def reasoning(self) -> str:
        """The whole reasoning."""
        return "".join(item.text for item in self.items if isinstance(item, ReasoningDelta))

    @property
    def tool_calls(self) -> tuple[ToolCallDelta, ...]:
        """The tool calls, each in one piece. Its ``arguments`` are text, which may be malformed."""
        by_index: dict[int | None, ToolCallDelta] = {}
        for item in self.items:
            if isinstance(item, ToolCallDelta):
                so_far = by_index.get(item.index)
                if so_far is None:
                    by_index[item.index] = item
                else:
                    by_index[item.index] = replace(so_far, arguments=so_far.arguments + item.arguments)
        return tuple(by_index.values())


def says(*pieces: str, reasoning: Sequence[str] = (), end: ModelEnd | None = None) -> ScriptedAnswer:
    """An answer of text, which ends well."""
    events: list[AnswerItem] = [ReasoningDelta(piece) for piece in reasoning]
    events += [TextDelta(piece) for piece in pieces]
    return ScriptedAnswer((*events, end or ModelEnd()))


def breaks_off(*pieces: str) -> ScriptedAnswer:
    """An answer whose connection closes after these pieces of text."""
    return ScriptedAnswer((*map(TextDelta, pieces), Cut()))


def fails(error: ProviderError, *pieces: str) -> ScriptedAnswer:
    """An answer that fails after these pieces of text."""
    return ScriptedAnswer((*map(TextDelta, pieces), error))


def calls(*parts: tuple[str, str, str], text: str = "", end: ModelEnd | None = None) -> ScriptedAnswer:
    """An answer that calls tools, after a text.

    Args:
        parts: for each call its id, its name, and the text of its arguments, which is sent in three pieces.
        text: what is said before.
        end: how it ends.
    """
    events: list[AnswerItem] = [TextDelta(text)] if text else []
    for index, (call_id, name, arguments) in enumerate(parts):
        events.append(ToolCallDelta(index, call_id, name))
        third = len(arguments) // 3 + 1
        pieces = (arguments[at : at + third] for at in range(0, len(arguments), third))
        events += [ToolCallDelta(index, arguments=piece) for piece in pieces]
    return ScriptedAnswer((*events, end or ModelEnd("tool_calls")))
