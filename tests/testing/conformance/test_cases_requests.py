"""The cases of `_cases_requests.py`: each passes a sound provider, and each fails a bad one."""

from __future__ import annotations

from finalturn._testing.conformance.cases_requests import REQUEST_CASES
from tests.testing._case_checks import never_violated, not_upheld


def test_a_sound_provider_upholds_each_case() -> None:
    assert not_upheld(REQUEST_CASES) == []


def test_each_case_is_violated_by_some_fault() -> None:
    assert never_violated(REQUEST_CASES) == []
