from __future__ import annotations

import json

from finalturn._serve.problems.failure import OVERLOADED, STATUS
from finalturn._serve.problems.problem import Problem, problem_response


def test_a_document_names_the_field() -> None:
    problem = Problem.field("/input/0/role", "must be user")
    assert problem.document() == {
        "type": "about:blank",
        "title": "Unprocessable Content",
        "status": 422,
        "detail": "/input/0/role: must be user",
        "code": "invalid_request",
        "retryable": False,
        "errors": [{"field": "/input/0/role", "problem": "must be user"}],
    }


def test_every_status_has_a_title() -> None:
    for code, status in STATUS.items():
        assert Problem(code, "x").document()["status"] == status


def test_the_answer() -> None:
    answer = problem_response(Problem.of(OVERLOADED))
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "1"
    assert json.loads(bytes(answer.body))["retryable"] is True
