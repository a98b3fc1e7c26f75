"""The arguments of a tool call, read from the text that a model wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from finalturn._core import json_text

CUT = "the call was cut: the answer reached the token limit before its arguments were complete"
NOT_AN_OBJECT = "the arguments are not a JSON object"
SEVERAL = "the arguments hold more than one JSON object"


class ReadArguments(NamedTuple):
    """What a text holds.

    Attributes:
        arguments: the object; ``{}`` with an error.
        text: the object's own text; ``None`` with an error, and when there was none.
        error: why the call cannot run, in words that quote nothing of it.
    """

    arguments: dict[str, Any]
    text: str | None
    error: str | None


def read_arguments(text: str, *, cut: bool) -> ReadArguments:
    """Read one JSON object, completing nothing; a blank text is an object without keys.

    Args:
        text: the whole argument text.
        cut: the answer was cut by the token limit, so that a text which is blank, or is not JSON, is
            taken for the beginning of one.
    """
    if not text.strip():
        return ReadArguments({}, None, CUT if cut else None)
    try:
        text, value = json_text.decode_written(text)
    except ValueError as error:
        return _read_repeated(text, CUT if cut else f"the arguments are not valid JSON: {error}")
    if not isinstance(value, dict):
        return ReadArguments({}, None, NOT_AN_OBJECT)
    return ReadArguments(value, text, None)


def _read_repeated(text: str, error: str) -> ReadArguments:
    """Several objects that are one.

    Some servers send the whole object again after its pieces: equal repeats are one object. Others begin
    with an empty object, in place of what follows.
    """
    pieces: list[str] = []
    try:
        pieces.extend(_objects(text))
        values = [json_text.decode(piece) for piece in pieces]
    except (ValueError, RecursionError):
        return ReadArguments({}, None, error if len(pieces) < 2 else SEVERAL)
    if len(values) < 2:
        return ReadArguments({}, None, error)
    first_filled = next((place for place, value in enumerate(values) if value), 0)
    # Compared as text: to Python, 1 and true are equal.
    if len({json_text.encode(value) for value in values[first_filled:]}) > 1:
        return ReadArguments({}, None, SEVERAL)
    return ReadArguments(values[first_filled], pieces[first_filled], None)


def _objects(text: str) -> Iterator[str]:
    """The objects that stand one after the other in a text."""
    from json import JSONDecoder

    decoder = JSONDecoder()
    text = text.strip()
    while text.startswith("{"):
        _, end = decoder.raw_decode(text)
        yield text[:end]
        text = text[end:].lstrip()
    if text:
        raise ValueError("holds something else beside objects")
