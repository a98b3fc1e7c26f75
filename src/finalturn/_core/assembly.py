"""Puts tool calls together from their streamed pieces, however loosely a server sends these.

A piece belongs to the call that its index and its id point to. Servers leave either out, repeat an id
on every piece, repeat the whole call at the end, or give every call the index 0; what is done then is
written beside each rule. When in doubt, two pieces are two calls: a half call is answered with an error,
which a model can act on, while two calls in one would run with arguments that nobody asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from finalturn._core import json_text
from finalturn._core.call_arguments import read_arguments
from finalturn._core.errors import MessageFormatError
from finalturn._core.frozen import thaw
from finalturn._core.messages import ToolCall
from finalturn._core.model import ToolCallDelta

__all__ = ["ToolCallAssembler", "with_unique_ids"]

NAMELESS = "the call names no tool"
UNKEPT = "what the provider wants back with the call is no JSON that can be kept"

_MARK = re.compile(r'\\.|\\$|["{}\[\]]', re.DOTALL)


class ToolCallAssembler:
    """Collects the deltas of one response."""

    __slots__ = ("_at", "_calls", "_from_text", "_with_id")

    def __init__(self) -> None:
        self._calls: list[_PartialCall] = []
        # Calls that came whole, each with how many of the others began before it.
        self._from_text: list[tuple[int, ToolCall]] = []
        self._at: dict[int, _PartialCall] = {}
        self._with_id: dict[str, _PartialCall] = {}

    def add(self, delta: ToolCallDelta) -> None:
        """Take the next piece, in the order of arrival."""
        if delta.from_text is not None:
            self._from_text.append((len(self._calls), delta.from_text))
            return
        if not (delta.id or delta.name or delta.arguments or delta.provider_data):
            return
        call = self._candidate(delta)
        if call is not None and call.repeated_by(delta):
            return
        if call is None or call.is_followed_by(delta):
            call = _PartialCall()
            self._calls.append(call)
        if delta.index is not None:
            call.index = delta.index
            self._at[delta.index] = call
        if delta.id:
            call.id = delta.id
            self._with_id[delta.id] = call
        call.extend(delta)

    def finish(self, *, cut: bool) -> tuple[ToolCall, ...]:
        """The calls, in the order in which they began, each with an id of its own; none for one from text.

        A server may read a call out of the text, and leave it there too: it is one call, and runs once.

        Args:
            cut: the answer ended at the token limit: a call whose arguments are blank or broken says
                so in its error.
        """
        calls = list(_with_unique_ids([part.build(cut=cut) for part in self._calls]))
        for before, call in reversed(_not_native(calls, self._from_text)):
            calls.insert(before, call)
        return tuple(calls)

    def _candidate(self, delta: ToolCallDelta) -> _PartialCall | None:
        """The call that the piece may continue."""
        at_index = None if delta.index is None else self._at.get(delta.index)
        if delta.id:
            with_same_id = self._with_id.get(delta.id)
            if with_same_id is None:
                # The id came late, or is that of the next call at this index.
                return at_index if at_index is not None and at_index.takes_id(delta) else None
            if delta.index is None or delta.index == with_same_id.index:
                return with_same_id
            # With a name, or at the index of another call, it is another call that shares the id.
            return None if delta.name or at_index is not None else with_same_id
        if delta.index is None:
            return self._calls[-1] if self._calls else None
        if at_index is None and not delta.name and self._calls and self._calls[-1].index is None:
            return self._calls[-1]
        return at_index


def with_unique_ids(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls of one response, each with an id that no other has.

    The same call twice under one id is one call; under another id, or none, the model wants it twice. A
    call without an id, or with one that stands before it, gets a fresh one: ``call_`` and its place.
    """
    return _with_unique_ids([(call, call.error or "") for call in calls])


def _with_unique_ids(calls: Sequence[tuple[ToolCall, str]]) -> tuple[ToolCall, ...]:
    """The same, of calls and what tells one malformed call from another."""
    taken_ids = {call.id for call, _ in calls if call.id}
    if len(taken_ids) == len(calls):
        return tuple(call for call, _ in calls)
    used: set[str] = set()
    result: list[ToolCall] = []
    for place, call in enumerate(_without_repeats(calls)):
        if not call.id or call.id in used:
            call = replace(call, id=fresh_id(place, taken_ids))
            taken_ids.add(call.id or "")
        used.add(call.id or "")
        result.append(call)
    return tuple(result)


def _without_repeats(calls: Sequence[tuple[ToolCall, str]]) -> Iterator[ToolCall]:
    seen_calls: set[tuple[object, ...]] = set()
    for call, text in calls:
        identity = (call.id, call.name, json_text.encode(call.arguments), text if call.error else "")
        if call.id and identity in seen_calls:
            continue
        seen_calls.add(identity)
        yield call


def fresh_id(place: int, taken_ids: set[str]) -> str:
    """An id that is not taken, the same for the same place and taken ids."""
    while (call_id := f"call_{place}") in taken_ids:
        place += 1
    return call_id


def _not_native(native: list[ToolCall], from_text: list[tuple[int, ToolCall]]) -> list[tuple[int, ToolCall]]:
    """The calls from the text, without those that the server has read itself: each is one of its calls.

    What the server could read counts, where the text of it is no call. What goes back with it is handed on.
    """
    free = list(range(len(native)))
    text_calls: list[tuple[int, ToolCall]] = []
    for before, call in from_text:
        place = next((place for place in free if _is_same(native[place], call)), None)
        if place is None:
            text_calls.append((before, call))
            continue
        free.remove(place)
        if native[place].provider_data is None:
            native[place] = replace(native[place], provider_data=call.provider_data)
    return text_calls


def _is_same(native: ToolCall, call: ToolCall) -> bool:
    if native.name != call.name or native.error is not None:
        return False
    # As JSON, true is not 1; the order of names means nothing.
    return call.error is not None or (
        native.arguments == call.arguments and _sorted(native.arguments) == _sorted(call.arguments)
    )


def _sorted(arguments: object) -> str:
    return json.dumps(thaw(arguments), sort_keys=True)


class _PartialCall:
    """One call under way."""

    __slots__ = ("_depth", "_escaped", "_in_string", "_scanned", "arguments", "data", "id", "index", "name")

    def __init__(self) -> None:
        self.id: str | None = None
        self.name = ""
        self.arguments: list[str] = []
        self.data: dict[str, Any] | None = None
        self.index: int | None = None
        self._scanned = self._depth = 0
        self._in_string = self._escaped = False

    def takes_id(self, delta: ToolCallDelta) -> bool:
        return self.id is None and not (delta.name and self._begun())

    def repeated_by(self, delta: ToolCallDelta) -> bool:
        """Whether the piece only says once more what is complete."""
        if not delta.name or delta.name != self.name or delta.provider_data or not self._complete():
            return False
        return not delta.arguments.strip() or delta.arguments.strip() == "".join(self.arguments).strip()

    def is_followed_by(self, delta: ToolCallDelta) -> bool:
        """Whether the piece, for all that it points here, begins another call."""
        if not (delta.name and self.name and self._begun()):
            return False
        if delta.name != self.name:
            return True
        # An empty object may stand for arguments that are still to come; under the same id they are these.
        blank = bool(delta.id) and delta.id == self.id and "".join(self.arguments).strip() == "{}"
        return not blank and self._complete()

    def extend(self, delta: ToolCallDelta) -> None:
        # Names come in pieces, or whole with every piece.
        if delta.name != self.name:
            self.name += delta.name
        if delta.arguments:
            self.arguments.append(delta.arguments)
        if delta.provider_data is not None:
            self.data = {**(self.data or {}), **delta.provider_data}

    def build(self, *, cut: bool) -> tuple[ToolCall, str]:
        text = json_text.without_surrogates("".join(self.arguments))
        name = json_text.without_surrogates(self.name)
        call_id = self.id and json_text.without_surrogates(self.id)
        read = read_arguments(text, cut=cut)
        error = read.error
        if not name.strip():
            name, error = "", error or NAMELESS
        try:
            return ToolCall(name, read.arguments, call_id, error, self.data, _text=read.text), text
        except MessageFormatError:
            return ToolCall(name, {}, call_id, error or UNKEPT), text

    def _begun(self) -> bool:
        return any(piece.strip() for piece in self.arguments)

    def _complete(self) -> bool:
        """Whether every bracket of the arguments is closed. Reads each piece once."""
        for piece in self.arguments[self._scanned :]:
            self._scan(piece)
        self._scanned = len(self.arguments)
        return self._begun() and not self._depth and not self._in_string

    def _scan(self, piece: str) -> None:
        if self._escaped:
            piece = piece[1:]
            self._escaped = False
        for match in _MARK.finditer(piece):
            mark = match[0]
            if mark == "\\":
                self._escaped = True
            elif mark == '"':
                self._in_string = not self._in_string
            elif not self._in_string and mark in "{[":
                self._depth += 1
            elif not self._in_string and mark in "}]":
                self._depth -= 1
