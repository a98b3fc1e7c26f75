"""`Output`: a response_format as the machine knows it, which judges whether a text is an answer to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from finalturn._core.output import reasons
from finalturn._core.output.find import decode_whole, find, is_empty
from finalturn._core.output.object_form import ObjectForm
from finalturn._core.output.reasons import Answer, Rejection, T_co
from finalturn._core.type_guards import is_dict


@dataclass(frozen=True, slots=True)
class Output(Generic[T_co]):
    """What a response_format is: a schema, and a validator for it.

    Attributes:
        name: matches ``[A-Za-z0-9_-]{1,64}``.
        schema: JSON Schema, draft 2020-12, of the input that validates.
        roots: the JSON kinds that the root may have: ``object``, ``array``, ``string``, ``number``,
            ``boolean``, ``null``.
        required: the root's required keys, as validation takes them from JSON. Where a field is taken
            by several keys, all of them count.
        declared: every key of the root that validation takes (and does not drop).
        validate: JSON text to an `Answer` or a `Rejection`. Never raises an ``Exception``.
        form: the same schema with an object at its root, where that is known already.
    """

    name: str
    schema: Mapping[str, Any]
    roots: frozenset[str]
    required: frozenset[str]
    declared: frozenset[str]
    validate: Callable[[str], Answer[T_co] | Rejection]
    form: ObjectForm | None = None

    def reuse(self, text: str) -> Answer[T_co] | Rejection:
        """Judge a loop answer: is the whole text, or one fence around it, an answer?

        Nobody asked for JSON here, so an empty value (``{}``, ``[]``, ``""``, ``null``) is none, and an
        object whose fields are all optional must carry at least one declared key.
        """
        try:
            json, value = decode_whole(text)
        except ValueError as error:
            return reasons.not_json(error) if text.strip() else reasons.EMPTY
        verdict = self.validate(json)
        if isinstance(verdict, Answer):
            return self._refuse(value) or verdict
        return verdict

    def extract(self, text: str) -> Answer[T_co] | Rejection:
        """Judge an asked answer: find the one JSON value in the text that is meant as it.

        Text up to the last ``</think>`` is left out. What remains is the value, alone or in one fence;
        else its only fenced JSON block; else its first complete JSON value of the root's kind. Equal
        repeats count once; different values are a `Rejection`. Nothing is completed or repaired, and
        no part of a larger value, whole or broken, is taken.
        """
        json = find(text, self.roots)
        return self.validate(json) if isinstance(json, str) else json

    def _refuse(self, value: Any) -> Rejection | None:
        if is_empty(value):
            return reasons.EMPTY
        if not self.declared or not is_dict(value):
            return None
        if self.required or not self.declared.isdisjoint(value):
            return None
        return reasons.NO_DECLARED_KEY
