"""Validation by a JSON Schema, draft 2020-12. The only place that uses the JSON-Schema library.

The library is imported when a schema is given, since most programs never give one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from finalturn._core.errors import ConfigurationError
from finalturn._core.output import ValidationProblem

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MOST_PROBLEMS = 11
_MOST_BRANCHES = 3
_LONGEST_HEAD = 60
_LONGEST_TAIL = 120

Problems = Callable[[Any], list[ValidationProblem]]


def problems_finder(schema: Mapping[str, Any]) -> Problems:
    """Compile a schema.

    Formats are annotations, as the specification has it by default. References stay inside the schema:
    nothing is ever fetched.

    Args:
        schema: plain JSON, which nobody changes afterwards.

    Returns:
        what finds the first problems of a decoded value. It may raise on a value that the library
        cannot handle (one that is nested too deeply).

    Raises:
        ConfigurationError: the schema is not valid, declares another draft, or refers to something
            that is not in it.
    """
    from jsonschema import Draft202012Validator
    from referencing import Registry

    from finalturn._jsonschema.refs import check_references

    _check(schema)
    check_references(schema, _check)
    # A registry of its own keeps the library from fetching what it does not know.
    validator: Any = Draft202012Validator(schema, registry=Registry())

    def problems(value: Any) -> list[ValidationProblem]:
        return [_problem(error) for error in islice(validator.iter_errors(value), _MOST_PROBLEMS)]

    return problems


def _check(schema: Any) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        where = "/".join(map(str, error.absolute_path))
        raise ConfigurationError(
            "the response_format mapping is not a valid JSON Schema (draft 2020-12): "
            f"{'at ' + where if where else 'as a whole'}: {_short(error.message)}"
        ) from None
    except RecursionError:
        raise ConfigurationError("the response_format mapping is nested too deeply") from None


def _problem(error: ValidationError) -> ValidationProblem:
    message = _short(error.message)
    # Why a value fits no branch of a union.
    branches = [_short(branch.message) for branch in (error.context or ())[:_MOST_BRANCHES]]
    if branches:
        message += f" ({'; '.join(branches)})"
    # A schema that is `false` has no keyword.
    return ValidationProblem(tuple(error.absolute_path), str(error.validator or "not allowed"), message)


def _short(message: str) -> str:
    # It begins with the value and ends with what is wrong.
    if len(message) <= _LONGEST_HEAD + _LONGEST_TAIL:
        return message
    return f"{message[:_LONGEST_HEAD]}...{message[-_LONGEST_TAIL:]}"
