"""Small gates for the tests of the hold, and ways to run one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from finalturn._core.hold import HoldGate, JsonHold
from finalturn._core.json_text import decode_written
from finalturn._core.output import Answer, Rejection

_FENCED = re.compile(r"(?s)(`{3,})[^\n]*\n(.*?)(`{3,})")


class Gate:
    """A gate that notes what it is asked."""

    def __init__(
        self,
        *roots: str,
        required: Iterable[str] = (),
        declared: Iterable[str] = (),
        accept: Callable[[object], bool] = bool,
    ) -> None:
        self.roots = frozenset(roots)
        self.required = frozenset(required)
        self.declared = frozenset(declared) | self.required
        self.asked: list[str] = []
        self._accept = accept

    def reuse(self, text: str) -> Answer[object] | Rejection:
        self.asked.append(text)
        text = text.strip()
        fenced = _FENCED.fullmatch(text)
        try:
            value: object = decode_written(fenced[2] if fenced else text)[1]
        except ValueError:
            return Rejection("no JSON", "no JSON")
        return Answer(text, value) if self._accept(value) else Rejection("no", "no")


def ticket() -> Gate:
    """An object with the required key ``name`` and the optional ``count``; nothing here is valid."""
    return Gate("object", required=["name"], declared=["count"], accept=lambda _: False)


def optional() -> Gate:
    """An object with optional keys only; nothing here is valid."""
    return Gate("object", declared=["a", "b"], accept=lambda _: False)


def mapping() -> Gate:
    """Any object that is not empty."""
    return Gate("object")


def array() -> Gate:
    """Any array that is not empty."""
    return Gate("array")


def either() -> Gate:
    """Any object or array that is not empty."""
    return Gate("object", "array")


def scalar() -> Gate:
    """A string, a number, a boolean; not null."""
    return Gate("string", "number", "boolean", "null", accept=lambda value: value is not None)


def run(gate: HoldGate, pieces: Iterable[str]) -> str:
    """All that is shown of a call whose text comes in these pieces."""
    hold = JsonHold(gate)
    shown = [hold.feed(piece) for piece in pieces]
    return "".join([*shown, hold.finish()])


def check(make: Callable[[], Gate], text: str, expected: str) -> Gate:
    """Assert what is shown of a text, whole and a character at a time; return the gate that was asked."""
    assert run(make(), text) == expected
    gate = make()
    assert run(gate, [text]) == expected
    return gate
