"""Judges answers in the object form of a response_format, which vendors want that take objects only."""

from __future__ import annotations

from dataclasses import dataclass, replace

from finalturn._core.output.find import decode_whole, find
from finalturn._core.output.object_form import member, object_form
from finalturn._core.output.output import Output
from finalturn._core.output.reasons import Answer, Rejection, T_co
from finalturn._core.type_guards import is_dict

__all__ = ["around", "as_object"]

_OBJECT = frozenset({"object"})


def as_object(output: Output[T_co]) -> Output[T_co]:
    """The same response_format with a plain object at the root of its schema.

    What it judges is an answer to a request with that schema: the answer and its JSON text are those of the
    value itself. No value has the key of the object, so an object with that key is one that was asked for,
    and is judged as nothing else. A value without it, from a server that has not looked at the schema, is
    judged as if it had been asked for like that.
    """
    form = output.form or object_form(output.schema)
    if not form.key:
        return output if form.schema is output.schema else replace(output, schema=form.schema)
    return _Wrapped(
        name=output.name,
        schema=form.schema,
        roots=output.roots | _OBJECT,
        required=frozenset({form.key}),
        declared=frozenset({form.key}),
        validate=output.validate,
        value=output,
        key=form.key,
    )


def around(output: Output[T_co]) -> tuple[str, Output[T_co]] | None:
    """The key that the value of an answer is under, and what the value is; ``None`` where there is no key."""
    return (output.key, output.value) if isinstance(output, _Wrapped) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrapped(Output[T_co]):
    """An output whose value is the one member of an object.

    Attributes:
        value: judges the value.
        key: of the member.
    """

    value: Output[T_co]
    key: str

    def reuse(self, text: str) -> Answer[T_co] | Rejection:
        """Judge a loop answer that was asked for, as strictly as one without the object around it."""
        try:
            inner = self._inner(text)
        except ValueError:
            inner = None
        if inner is None:
            return self.value.reuse(text)
        return self._placed(self.value.reuse(inner) if isinstance(inner, str) else inner)

    def extract(self, text: str) -> Answer[T_co] | Rejection:
        """Judge an asked answer: the object, wherever `Output.extract` finds one, or else the value."""
        json = find(text, _OBJECT)
        inner = self._inner(json) if isinstance(json, str) else None
        if inner is None:
            return self.value.extract(text)
        return self._placed(self.value.validate(inner) if isinstance(inner, str) else inner)

    def _inner(self, text: str) -> str | Rejection | None:
        """The value's text in an object; ``None`` where it is no such object.

        Raises:
            ValueError: it is no JSON value.
        """
        json, value = decode_whole(text)
        if not is_dict(value) or self.key not in value:
            return None
        inner = member(json, self.key) if len(value) == 1 else None
        try:
            decode_whole(inner or "")
        except ValueError:
            # Another key stands beside it, or the same one twice.
            return Rejection("the answer holds more than the value", f"Give one key only: {self.key!r}.")
        return inner

    def _placed(self, verdict: Answer[T_co] | Rejection) -> Answer[T_co] | Rejection:
        """The verdict, with the place of what it names for the model."""
        if isinstance(verdict, Answer):
            return verdict
        place = f"\nThis is about the value of {self.key!r}, the only key of the object to give."
        return Rejection(verdict.reason, verdict.feedback + place)
