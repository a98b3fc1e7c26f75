"""Outputs that pydantic validates, and outputs that a JSON Schema does; both report every fault."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NoReturn

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from finalturn._core.output import (
    Answer,
    Output,
    Rejection,
    ValidationProblem,
    adapter_shape,
    model_shape,
    pydantic_output,
    schema_output,
    schema_shape,
)
from finalturn._core.output import reasons as _reasons
from finalturn._core.output.make import problems_of


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


def test_a_valid_text_is_an_answer_with_its_value() -> None:
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

    def problems(value: object) -> list[ValidationProblem]:
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
    def problems(value: Any) -> list[ValidationProblem]:
        return [] if value == {"a": 1} else [ValidationProblem(("a", "SECRET"), "type", "SECRET is wrong")]

    output = schema_output(schema_shape({"type": "object", "properties": {"a": {}}}), problems)
    assert output.validate('{"a": 1}') == Answer('{"a": 1}', {"a": 1})
    assert output.validate("1") == Rejection(
        "the answer does not match the schema: type at a.?",
        "The answer does not match the schema:\n- a.SECRET: SECRET is wrong",
    )


SECRET = "SENTINEL"


def problems(form: Any, text: str) -> list[ValidationProblem]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(form).validate_json(text)
    return problems_of(caught.value)


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["dog"]
    tags: dict[str, int] = {}


PET: Any = Annotated[Cat | Dog, Field(discriminator="kind")]


def no_secret(value: object) -> object:
    raise ValueError(f"not {value}")


def custom(value: object) -> object:
    raise PydanticCustomError(f"no_{SECRET}", "not {value}", {"value": value})  # pyright: ignore


def opaque(value: object) -> object:
    return object()


@pytest.mark.parametrize(
    ("form", "text", "path", "kind", "message"),
    [
        (
            Cat,
            f'{{"kind":"{SECRET}","lives":1}}',
            ("kind",),
            "literal_error",
            f'[literal_error]; got "{SECRET}"',
        ),
        (Cat, f'{{"kind":"cat","{SECRET}":1}}', ("lives",), "missing", f'got {{"kind":"cat","{SECRET}":1}}'),
        (Dog, f'{{"kind":"dog","{SECRET}":1}}', (SECRET,), "extra_forbidden", "[extra_forbidden]; got 1"),
        (Dog, f'{{"kind":"dog","tags":{{"{SECRET}":"x"}}}}', ("tags", SECRET), "int_parsing", 'got "x"'),
        (PET, f'{{"kind":"{SECRET}"}}', (), "union_tag_invalid", f"tag '{SECRET}'"),
        (PET, '{"kind":"cat"}', ("cat", "lives"), "missing", "Field required"),
        (Annotated[str, AfterValidator(no_secret)], f'"{SECRET}"', (), "value_error", f"not {SECRET}"),
        (Annotated[str, AfterValidator(custom)], f'"{SECRET}"', (), "custom_error", f"[no_{SECRET}]"),
        (Annotated[int, BeforeValidator(opaque)], f'"{SECRET}"', (), "int_type", "[int_type]"),
    ],
)
def test_a_problem_says_where_what_and_why(
    form: Any, text: str, path: tuple[str | int, ...], kind: str, message: str
) -> None:
    (problem,) = problems(form, text)
    assert (problem.path, problem.kind) == (path, kind)
    assert message in problem.message
    assert "pydantic.dev" not in problem.message
    assert SECRET not in _reasons.mismatch([problem], frozenset({"kind", "lives", "tags"})).reason


def test_every_problem_is_told() -> None:
    assert [problem.path for problem in problems(list[int], '["a", 1, {}]')] == [(0,), (2,)]
