from __future__ import annotations

from typing import Annotated, Any, NoReturn

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from finalturn._core.output import (
    Answer,
    Output,
    Problem,
    Rejection,
    adapter_shape,
    model_shape,
    pydantic_output,
    schema_output,
    schema_shape,
)


def of_model(model: type[BaseModel]) -> Output[Any]:
    return pydantic_output(model_shape(model), model.model_validate_json)


def of_type(form: Any) -> Output[Any]:
    adapter = TypeAdapter[Any](form)
    return pydantic_output(adapter_shape(adapter), adapter.validate_json)


class Ticket(BaseModel):
    id: int
    passed: bool = False


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    passed: bool
    when: tuple[int, int] = (0, 0)


def test_a_valid_text() -> None:
    assert of_model(Ticket).validate('{"id": 9007199254740993}') == Answer(
        '{"id": 9007199254740993}', Ticket(id=9007199254740993)
    )


def test_the_shape_is_the_outputs() -> None:
    shape = model_shape(Ticket)
    output = pydantic_output(shape, Ticket.model_validate_json)
    assert (output.name, output.schema, output.roots, output.required, output.declared) == shape[:5]


def test_json_mode_as_the_model_is_configured() -> None:
    assert isinstance(of_model(Ticket).validate('{"id": "1"}'), Answer)
    strict = of_model(Strict)
    assert strict.validate('{"passed": "true"}') == Rejection(
        "the answer does not match the schema: bool_type at passed",
        "The answer does not match the schema:\n"
        '- passed: Input should be a valid boolean [bool_type]; got "true"',
    )
    # A strict tuple is an array in JSON, and only in JSON.
    assert strict.validate('{"passed": true, "when": [1, 2]}') == Answer(
        '{"passed": true, "when": [1, 2]}', Strict(passed=True, when=(1, 2))
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"id": 1} x',
        "NaN",
        "[1e999]",
        '"\\ud83d"',
        '"\ud83d"',
        "[" * 100_000,
        "1" * 5000,
        '{"id": Infinity}',
    ],
)
@pytest.mark.parametrize("output", [of_type(Any), schema_output(schema_shape({}), lambda value: [])])
def test_what_is_not_json_is_a_rejection(output: Output[Any], text: str) -> None:
    verdict = output.validate(text)
    assert isinstance(verdict, Rejection)
    assert verdict.reason == "the answer is not valid JSON"


def fail(error: Exception) -> NoReturn:
    raise error


@pytest.mark.parametrize(
    "error", [KeyError("SECRET"), TypeError("SECRET"), RecursionError("SECRET"), OSError("SECRET")]
)
def test_an_exception_of_a_validator_is_a_rejection(error: Exception) -> None:
    name = type(error).__name__
    rejection = Rejection(
        f"a validator failed ({name})", f"The answer could not be validated: a validator failed ({name})."
    )

    def check(value: int) -> int:
        fail(error)

    def problems(value: object) -> list[Problem]:
        fail(error)

    assert of_type(Annotated[int, AfterValidator(check)]).validate("1") == rejection
    assert schema_output(schema_shape({}), problems).validate("1") == rejection


def test_what_ends_the_program_is_not_swallowed() -> None:
    def check(value: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        of_type(Annotated[int, AfterValidator(check)]).validate("1")


class Moody(BaseModel):
    a: int

    @model_validator(mode="before")
    @classmethod
    def nested(cls, data: Any) -> Any:
        Ticket.model_validate(data)
        return data


def test_an_error_of_another_model_inside_a_validator() -> None:
    verdict = of_model(Moody).validate('{"a": 1, "id": "SECRET"}')
    assert isinstance(verdict, Rejection)
    assert verdict.reason == "the answer does not match the schema: int_parsing at ?"
    assert "SECRET" in verdict.feedback


class Keys(BaseModel):
    model_config = ConfigDict(extra="forbid")
    scores: dict[str, int] = {}
    alias: int = Field(0, alias="other")


def test_a_reason_holds_no_text_of_the_model() -> None:
    verdict = of_model(Keys).validate('{"scores": {"SECRET": "SECRET"}, "SECRET": 1, "other": "SECRET"}')
    assert isinstance(verdict, Rejection)
    assert verdict.reason == (
        "the answer does not match the schema: "
        "int_parsing at scores.?; int_parsing at other; extra_forbidden at ?"
    )
    assert verdict.feedback.count("SECRET") == 4


def test_a_schema_and_what_checks_it() -> None:
    def problems(value: Any) -> list[Problem]:
        return [] if value == {"a": 1} else [Problem(("a", "SECRET"), "type", "SECRET is wrong")]

    output = schema_output(schema_shape({"type": "object", "properties": {"a": {}}}), problems)
    assert output.validate('{"a": 1}') == Answer('{"a": 1}', {"a": 1})
    assert output.validate("1") == Rejection(
        "the answer does not match the schema: type at a.?",
        "The answer does not match the schema:\n- a.SECRET: SECRET is wrong",
    )
