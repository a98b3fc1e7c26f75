"""The calls of a generateContent answer, whether each comes whole or in pieces. Pure.

A call comes in one part, with its name and its ``args``. Vertex AI can be asked to stream arguments: the
first part then has the name, later ones have ``partialArgs``, values with the JSON path where they go, and
parts say ``willContinue`` as long as more follows; an empty part may be the last. The source is the reference
of ``FunctionCall`` and ``PartialArg`` (Vertex AI, v1beta1,
https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1beta1/Content). Servers that
translate to the format send a name first, and the arguments in a part of their own.

So a part without a name continues a call: the one that has its id, or else the last. A part with a name
begins another call, unless the last is to continue under that name, or has that id and no other arguments so
far. Where several calls began one behind the other without arguments, and as many objects without a name
follow, each is for one of them, in order. Nothing is guessed: where some of the arguments are missing, what
is there is no JSON, and does not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from finalturn._core import json_text
from finalturn._core.model import ToolCallDelta
from finalturn._core.type_guards import is_array, is_dict
from finalturn._providers.gemini.history import DATA
from finalturn._providers.gemini.replay import SIGNATURE
from finalturn._providers.json_types import as_array, as_object, as_text

# What is no JSON, so that a call with it does not run.
_BROKEN = "["

# Elements of an array that may be left out before one that has come.
_MAX_GAP = 1000

# One step of a JSON path as far as it names one place (RFC 9535, section 2.7).
_STEP = re.compile(r"""\.([^.\[\]'"\s]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")


class Calls:
    """Collects the calls of one answer.

    Attributes:
        size: about how many characters of them there are.
    """

    __slots__ = ("_all", "_bare", "_nameless", "_with_id", "size")

    def __init__(self) -> None:
        self.size = 0
        self._all: list[_Call] = []
        self._with_id: dict[str, _Call] = {}
        # The last calls, as long as they come without arguments; and parts that may be for any of them.
        self._bare: list[_Call] = []
        self._nameless: list[tuple[dict[str, Any], str]] = []

    def take(self, function_call: dict[str, Any], signature: str) -> None:
        """Take the ``functionCall`` of a part.

        Args:
            function_call: what it holds.
            signature: the part's ``thoughtSignature``. It must go back with this very call.
        """
        self._take(function_call, signature)
        self.size += 1 + sum(len(str(function_call.get(name))) for name in ("args", "partialArgs"))

    def _take(self, function_call: dict[str, Any], signature: str) -> None:
        nameless = not function_call.get("id") and not function_call.get("name")
        if nameless and len(self._bare) > 1 and as_object(function_call.get("args")):
            self._nameless.append((function_call, signature))
            return
        self._deal_out()
        call = self._continued(function_call)
        if call is None:
            call = _Call()
            self._all.append(call)
            self._bare.append(call)
        call.take(function_call, signature)
        if call.open or call.begun:
            self._bare.clear()
        if call.id:
            self._with_id[call.id] = call

    def _deal_out(self) -> None:
        """Give the parts without a name to the calls that they are for."""
        if not self._nameless:
            return
        calls = (
            self._bare if len(self._bare) == len(self._nameless) else self._bare[-1:] * len(self._nameless)
        )
        for call, (function_call, signature) in zip(calls, self._nameless, strict=True):
            call.take(function_call, signature)
        self._bare.clear()
        self._nameless.clear()

    def deltas(self, *, cut: bool) -> Iterator[ToolCallDelta]:
        """The calls, whole, in the order in which they began.

        Args:
            cut: the answer ended at the token limit.
        """
        self._deal_out()
        for place, call in enumerate(self._all):
            data = {name: value for name, value in (("id", call.id), (SIGNATURE, call.signature)) if value}
            arguments = call.arguments(cut=cut)
            yield ToolCallDelta(place, call.id or None, call.name, arguments, {DATA: data} if data else None)

    def _continued(self, function_call: dict[str, Any]) -> _Call | None:
        """The call that a part continues; ``None`` where it begins one."""
        last = self._all[-1] if self._all else None
        call_id, name = as_text(function_call.get("id")), as_text(function_call.get("name"))
        known = self._with_id.get(call_id) if call_id else last
        if known is None:
            # The id may come late.
            known = last if last is not None and not last.id else None
            if name and (known is None or not known.open):
                return None
        if known is None or not name:
            return known
        if name != known.name:
            return None
        return known if known.open or (call_id and known.repeats(function_call.get("args"))) else None


class _Call:
    """One tool call of an answer, complete or not yet."""

    __slots__ = ("_promised", "_wrong", "id", "name", "open", "signature", "text", "value")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.signature = ""
        # More of it has been announced.
        self.open = False
        # The arguments, as far as they have come as JSON, and as text.
        self.value: dict[str, Any] = {}
        self.text = ""
        self._promised: set[str] = set()
        self._wrong = False

    def take(self, function_call: dict[str, Any], signature: str) -> None:
        self.id = self.id or as_text(function_call.get("id"))
        self.name = self.name or as_text(function_call.get("name"))
        self.signature = signature or self.signature
        self.open = bool(function_call.get("willContinue"))
        args: Any = function_call.get("args")
        if is_dict(args) and not self.text:
            self.value = {**self.value, **as_object(args)}
        elif args is not None and args != {}:
            self._add_text(args if isinstance(args, str) else _written(args))
        for piece in map(as_object, as_array(function_call.get("partialArgs"))):
            self._wrong |= not self._put(piece)

    @property
    def begun(self) -> bool:
        """Some of its arguments have come."""
        return bool(self.value or self.text or self._promised)

    def repeats(self, args: object) -> bool:
        """Whether arguments hold all that has come of them so far."""
        if self.text:
            return args == self.text
        whole = as_object(args)
        return all(name in whole and whole[name] == value for name, value in self.value.items())

    def arguments(self, *, cut: bool) -> str:
        """Their text; no JSON where some of them are missing."""
        if self._wrong:
            return _BROKEN
        if self.text:
            return self.text
        written = _written(self.value)
        # More of a value was to come, or, of an answer that was cut, more of the call.
        return written[:-1] if self._promised or (cut and self.open) else written

    def _add_text(self, text: str) -> None:
        if self.text.strip() in ("", "{}"):
            before = _written(self.value) if self.value else ""
            self.text = before if before == text else before + text
        elif text != self.text:
            self.text += text

    def _put(self, piece: dict[str, Any]) -> bool:
        """Put a value where its path says, and say whether there is such a place."""
        path = as_text(piece.get("jsonPath"))
        has_value, value = _value(piece)
        (self._promised.add if piece.get("willContinue") else self._promised.discard)(path)
        if not has_value:
            return True
        steps = _steps(path)
        if not steps:
            return False
        place: Any = self.value
        step: Any
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            if not _fits(place, step):
                return False
            before: Any = place[step] if isinstance(step, int) or step in place else None
            if following is None:
                place[step] = before + value if isinstance(before, str) and isinstance(value, str) else value
            elif before is None:
                place[step] = [] if isinstance(following, int) else {}
            place = place[step]
        return True


def _value(piece: dict[str, Any]) -> tuple[bool, Any]:
    """The value of a piece, and whether it has any."""
    for name in ("stringValue", "numberValue", "boolValue"):
        if piece.get(name) is not None:
            return True, piece[name]
    return "nullValue" in piece, None


def _steps(path: str) -> list[str | int]:
    """The names and indexes of a path; none where it cannot be read."""
    if not path.startswith("$"):
        return []
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or len(steps) == json_text.MAX_DEPTH:
            return []
        name, index, *quoted = match.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(name if name is not None else re.sub(r"\\(.)", r"\1", quoted[0] or quoted[1] or ""))
        at = match.end()
    return steps


def _fits(place: Any, step: str | int) -> bool:
    """Whether a step leads from here to somewhere, in an array up to a little behind its end."""
    if isinstance(step, str):
        return isinstance(place, dict)
    if not is_array(place) or step > len(place) + _MAX_GAP:
        return False
    cast("list[Any]", place).extend([None] * (step + 1 - len(place)))
    return True


def _written(value: object) -> str:
    try:
        return json_text.encode(value).decode()
    except (RecursionError, ValueError):
        # Nested too deeply to be written.
        return _BROKEN
