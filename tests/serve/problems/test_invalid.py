from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from finalturn._serve.problems.invalid import validation_problem
from finalturn._serve.requests.native import ChatRequest

SENT = "what-was-sent"


def problem_of(body: Any) -> Any:
    with pytest.raises(ValidationError) as caught:
        ChatRequest.model_validate(body)
    errors = [{**error, "loc": ("body", *error["loc"])} for error in caught.value.errors()]
    return validation_problem(errors, body)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["/input"]),
        ({"input": 3}, ["/input"]),
        ({"input": [{"role": "system", "content": SENT}]}, ["/input/0/role"]),
        ({"input": [{"content": "x"}]}, ["/input/0/role"]),
        ({"input": [{"role": "user", "content": 1}, 2]}, ["/input/0/content", "/input/1"]),
        ({"input": [{"role": "user", "tool_calls": [SENT]}]}, ["/input/0/tool_calls"]),
        ({"input": "x", "response_format": {}}, ["/response_format"]),
        ({"input": "x", "a/b~c": 1}, ["/a~1b~0c"]),
        ({"input": "x", "session": 1}, ["/session"]),
        (
            {"input": [{"role": "user", "content_parts": [{"kind": "video"}]}]},
            ["/input/0/content_parts/0/kind"],
        ),
    ],
)
def test_the_fields_are_named_as_they_stand_in_the_body(body: Any, fields: list[str]) -> None:
    problem = problem_of(body)
    assert problem.status_code == 422
    assert [name for name, _ in problem.errors] == fields
    assert problem.detail.startswith(fields[0] + ": ")
    assert SENT not in str(problem.document())


def test_a_body_that_is_no_object() -> None:
    problem = validation_problem([{"type": "model_attributes_type", "loc": ("body",), "msg": SENT}], [SENT])
    assert problem.detail == "The body must be a JSON object."


def test_no_more_than_some() -> None:
    problem = problem_of({"input": [{"role": "x"}] * 50})
    assert len(problem.errors) == 20


def test_a_parameter_has_its_name() -> None:
    problem = validation_problem(
        [{"type": "int_parsing", "loc": ("query", "limit"), "msg": "Input should be 1"}], None
    )
    assert problem.errors == (("limit", "input should be 1"),)


def test_what_is_no_json() -> None:
    assert (
        validation_problem([{"type": "json_invalid", "loc": ("body", 3), "msg": SENT}], SENT).status_code
        == 400
    )
