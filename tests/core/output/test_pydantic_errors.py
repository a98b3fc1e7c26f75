from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from finalturn._core.output import Problem
from finalturn._core.output import reasons as _reasons
from finalturn._core.output.pydantic_errors import problems_of

SECRET = "SENTINEL"


def problems(form: Any, text: str) -> list[Problem]:
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
def test_where_what_and_why(
    form: Any, text: str, path: tuple[str | int, ...], kind: str, message: str
) -> None:
    (problem,) = problems(form, text)
    assert (problem.path, problem.kind) == (path, kind)
    assert message in problem.message
    assert "pydantic.dev" not in problem.message
    assert SECRET not in _reasons.mismatch([problem], frozenset({"kind", "lives", "tags"})).reason


def test_everything_is_told() -> None:
    assert [problem.path for problem in problems(list[int], '["a", 1, {}]')] == [(0,), (2,)]
