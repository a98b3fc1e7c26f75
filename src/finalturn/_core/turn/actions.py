"""What the machine asks its driver to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelRequest
from finalturn._core.result import AgentResult


@dataclass(frozen=True, slots=True)
class CallModel:
    """Make a model call; feed its pieces, then `Finished`."""

    request: ModelRequest


@dataclass(frozen=True, slots=True)
class RunTools:
    """Run a batch; feed one `ToolReturned` for each call, then `ToolsFinished`.

    Attributes:
        calls: the batch, in call order.
        messages: the conversation up to and including the message that asks for it.
    """

    calls: tuple[ToolCall, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class AskFinalize:
    """Ask the predicate; feed `Decided`."""

    messages: tuple[Message, ...]
    last_response_text: str


@dataclass(frozen=True, slots=True)
class SaveTurn:
    """Append the turn to its session, if it has one; feed `Saved`. Not to be cancelled half way."""

    result: AgentResult[Any]


@dataclass(frozen=True, slots=True)
class Finish:
    """Deliver the result. Nothing follows."""

    result: AgentResult[Any]


@dataclass(frozen=True, slots=True)
class Raise:
    """Raise this exception to the caller, unchanged. Nothing follows."""

    error: BaseException


Action: TypeAlias = CallModel | RunTools | AskFinalize | SaveTurn | Finish | Raise
