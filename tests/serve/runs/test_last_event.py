from __future__ import annotations

import pytest

from finalturn._serve.problems.problem import Problem
from finalturn._serve.runs.last_event import number_of


@pytest.mark.parametrize(("given", "number"), [("0", 0), ("7", 7), ("007", 7), ("999999999", 999_999_999)])
def test_the_number_of_a_record(given: str, number: int) -> None:
    assert number_of(given) == number


@pytest.mark.parametrize("given", ["", "-1", "1.0", "x", "1 2", "٣", "²", "1000000000"])
def test_anything_else_is_named(given: str) -> None:
    with pytest.raises(Problem) as caught:
        number_of(given)
    assert (caught.value.status, caught.value.errors[0][0]) == (400, "Last-Event-ID")
