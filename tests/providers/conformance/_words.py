"""What the fakes of all wires have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, TypeAlias, cast

from finalturn import ModelEnd, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from finalturn.testing import ScriptedAnswer

Piece: TypeAlias = TextDelta | ReasoningDelta | ToolCallDelta

# What a vendor that always reports tokens reports where the script says nothing of them.
SPENT = Usage(input_tokens=3, output_tokens=2, total_tokens=5)


def dumps(value: object) -> bytes:
    """JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode()


def sse(value: object, name: str | None = None) -> bytes:
    """A server-sent event."""
    return (b"" if name is None else f"event: {name}\n".encode()) + b"data: " + dumps(value) + b"\n\n"


def _kind(piece: Piece) -> tuple[type[Piece], int | None]:
    return type(piece), piece.index if isinstance(piece, ToolCallDelta) else None


def blocks(answer: ScriptedAnswer) -> Iterator[Iterator[Piece]]:
    """The answer in blocks of text, of reasoning, or of one call; each piece when it is asked for."""
    pieces = (event for event in answer.events if not isinstance(event, ModelEnd))
    for _, block in groupby(pieces, _kind):
        yield block


def texts(block: Iterable[Piece]) -> Iterator[str]:
    """The texts of the pieces of a block: of a call, those of its arguments."""
    for piece in block:
        yield piece.arguments if isinstance(piece, ToolCallDelta) else piece.text


def as_object(arguments: str) -> dict[str, Any] | None:
    """Arguments as an object; ``None`` where they are none."""
    try:
        found: Any = json.loads(arguments or "{}")
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def usage_of(answer: ScriptedAnswer) -> Usage:
    """The tokens of the answer."""
    return (answer.end and answer.end.usage) or SPENT


def reason_of(answer: ScriptedAnswer) -> str:
    """Why the model stopped."""
    return answer.end.finish_reason if answer.end is not None else ""
