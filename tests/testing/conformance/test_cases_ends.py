"""The cases of `_cases_ends.py`: each passes a sound provider, and each fails a bad one."""

from __future__ import annotations

from finalturn._testing.conformance.bench import Way
from finalturn._testing.conformance.case import Case
from finalturn._testing.conformance.cases_ends import END_CASES
from tests.testing._case_checks import failing, passes, plays


@plays(END_CASES)
def test_a_sound_provider_passes(case: Case, way: Way, anyio_backend: str) -> None:
    assert passes(case, way, anyio_backend)


@plays(END_CASES)
def test_some_fault_fails(case: Case, way: Way) -> None:
    assert failing(case, way)
