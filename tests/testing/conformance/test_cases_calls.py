"""The cases of `_cases_calls.py`: each passes a sound provider, and each fails a bad one."""

from __future__ import annotations

from finalturn.testing.conformance._bench import Way
from finalturn.testing.conformance._case import Case
from finalturn.testing.conformance._cases_calls import CALL_CASES
from tests.testing._case_checks import failing, passes, plays


@plays(CALL_CASES)
def test_a_sound_provider_passes(case: Case, way: Way, anyio_backend: str) -> None:
    assert passes(case, way, anyio_backend)


@plays(CALL_CASES)
def test_some_fault_fails(case: Case, way: Way) -> None:
    assert failing(case, way)
