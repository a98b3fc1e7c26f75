"""Makes an `Output` from a `Shape` and a validator: pydantic's, or one for JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

from pydantic_core import ValidationError
from pydantic_core.core_schema import ErrorType

from finalturn._core.json_text import decode
from finalturn._core.output import reasons
from finalturn._core.output.output import Output
from finalturn._core.output.reasons import Answer, Rejection, ValidationProblem, quoted
from finalturn._core.output.shape import Shape

T = TypeVar("T")


def pydantic_output(shape: Shape, validate_json: Callable[[str], T]) -> Output[T]:
    """An output that pydantic validates.

    Args:
        shape: of the model class or the TypeAdapter.
        validate_json: its own validation in JSON mode, so that strictness and aliases are as configured.
    """

    def check(text: str) -> Answer[T] | Rejection:
        # pydantic's own reader lets NaN and infinities pass.
        try:
            decode(text)
        except ValueError as error:
            return reasons.not_json(error)
        try:
            return Answer(text, validate_json(text))
        except ValidationError as error:
            return reasons.mismatch(problems_of(error), shape.names)

    return _output(shape, check)


def schema_output(shape: Shape, problems: Callable[[Any], Sequence[ValidationProblem]]) -> Output[Any]:
    """An output whose value is the decoded JSON.

    Args:
        shape: of the JSON Schema.
        problems: what is wrong with a decoded value; nothing when it matches.
    """

    def check(text: str) -> Answer[Any] | Rejection:
        try:
            value = decode(text)
        except ValueError as error:
            return reasons.not_json(error)
        faults = problems(value)
        return reasons.mismatch(faults, shape.names) if faults else Answer(text, value)

    return _output(shape, check)


def _output(shape: Shape, check: Callable[[str], Answer[T] | Rejection]) -> Output[T]:
    def validate(text: str) -> Answer[T] | Rejection:
        try:
            return check(text)
        except Exception as error:
            return reasons.validator_failed(error)

    return Output(shape.name, shape.schema, shape.roots, shape.required, shape.declared, validate, shape.form)


_TYPES = frozenset(get_args(ErrorType))


def problems_of(error: ValidationError) -> list[ValidationProblem]:
    """Everything that pydantic found.

    A type that is not pydantic's own comes from a user's validator, which may have made it of the value:
    it shows as ``custom_error``.
    """
    problems: list[ValidationProblem] = []
    for detail in error.errors(include_url=False, include_context=False):
        input_text = quoted(detail["input"])
        message = f"{detail['msg']} [{detail['type']}]"
        problems.append(
            ValidationProblem(
                path=detail["loc"],
                kind=detail["type"] if detail["type"] in _TYPES else "custom_error",
                message=f"{message}; got {input_text}" if input_text else message,
            )
        )
    return problems
