from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from finalturn._core.output import Answer, Rejection, as_object
from finalturn._response_format import output_of


class A(BaseModel):
    x: int | None = None


class B(BaseModel):
    y: int


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    z: int = 0


EITHER = as_object(output_of(A | B))
LIST = as_object(output_of(list[int]))
TEXT = as_object(output_of(str))


def test_a_plain_object_is_judged_by_the_very_same() -> None:
    output = output_of(B)
    assert as_object(output) is output


def test_the_schema_is_an_object_and_the_rest_stays() -> None:
    assert LIST.schema["properties"]["answer"] == {"type": "array", "items": {"type": "integer"}}
    assert LIST.name == output_of(list[int]).name


@pytest.mark.parametrize(
    ("output", "text", "json", "value"),
    [
        (LIST, '{"answer": [1, 2]}', "[1, 2]", [1, 2]),
        (LIST, 'So: {"answer": [1]} done', "[1]", [1]),
        (LIST, '```json\n{"answer": [1]}\n```', "[1]", [1]),
        (LIST, '[0] and {"answer": [1]}', "[1]", [1]),
        (LIST, "[1, 2]", "[1, 2]", [1, 2]),
        (LIST, "Here: [1]", "[1]", [1]),
        (EITHER, '{"answer": {"y": 1}}', '{"y": 1}', B(y=1)),
        (EITHER, '{"y": 1}', '{"y": 1}', B(y=1)),
        (TEXT, '{"answer": "}"}', '"}"', "}"),
        (TEXT, '"bare"', '"bare"', "bare"),
        (as_object(output_of(B | None)), '{"answer": null}', "null", None),
    ],
)
def test_an_asked_answer(output: Any, text: str, json: str, value: object) -> None:
    assert output.extract(text) == Answer(json, value)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (LIST, '{"answer": ["a"]}'),
        (LIST, '{"answer": [1], "note": "b"}'),
        (LIST, '{"answer": [1], "answer": [2]}'),
        (LIST, '{"answer": [1'),
        # Read as the value itself, each of these would be an A of which nothing was said.
        (EITHER, '{"answer": 3}'),
        (EITHER, '{"answer": {"y": 1}, "why": "because"}'),
        (as_object(output_of(Open | list[int])), '{"answer": "no"}'),
    ],
)
def test_what_is_none_in_either_form(output: Any, text: str) -> None:
    assert isinstance(output.extract(text), Rejection)
    assert isinstance(output.reuse(text), Rejection)


def test_a_rejection_names_the_value_to_a_client_and_its_place_to_the_model() -> None:
    verdict = as_object(output_of(list[B])).extract('{"answer": [{"y": "SECRET"}]}')
    assert isinstance(verdict, Rejection)
    assert verdict.reason == "the answer does not match the schema: int_parsing at [0].y"
    assert verdict.feedback.endswith("about the value of 'answer', the only key of the object to give.")


@pytest.mark.parametrize(
    ("output", "text", "json"),
    [
        (LIST, ' {"answer": [1]} ', "[1]"),
        (LIST, "[1]", "[1]"),
        (EITHER, '{"answer": {"x": 1}}', '{"x": 1}'),
        (EITHER, '```\n{"answer": {"x": 1}}\n```', '{"x": 1}'),
    ],
)
def test_a_loop_answer(output: Any, text: str, json: str) -> None:
    verdict = output.reuse(text)
    assert isinstance(verdict, Answer)
    assert verdict.json == json


@pytest.mark.parametrize(
    "text",
    ["", "So: [1]", '{"answer": []}', "[]", '{"answer": {}}', 'So: {"answer": {"x": 1}}', '{"answer": null}'],
)
def test_a_loop_answer_is_looked_at_as_strictly_as_without_the_object(text: str) -> None:
    assert isinstance(LIST.reuse(text), Rejection)
    assert isinstance(EITHER.reuse(text), Rejection)


def test_an_adapter_may_be_of_anything() -> None:
    numbers: TypeAdapter[Any] = TypeAdapter(Any)
    assert as_object(output_of(numbers)).extract('{"answer": {"answer": 1}}') == Answer(
        '{"answer": 1}', {"answer": 1}
    )
