from __future__ import annotations

import pytest
from starlette.exceptions import HTTPException

from finalturn._serve.problems.exceptions import problem_of
from tests.serve._agents import SECRET


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (HTTPException(404, SECRET), 404),
        (HTTPException(400, SECRET), 400),
        (HTTPException(405, SECRET), 405),
        (ValueError(SECRET), 500),
    ],
)
def test_an_exception_of_others_has_a_status_and_no_text(error: Exception, status: int) -> None:
    problem = problem_of(error)
    assert problem.status == status
    assert SECRET not in str(problem.document())
