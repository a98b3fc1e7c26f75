from __future__ import annotations

from typing import get_args

import pytest

from finalturn import (
    Agent,
    ProviderError,
    SessionConflictError,
    SessionDamagedError,
    SessionError,
    SessionTimeoutError,
)
from finalturn._providers.scripted.script import ScriptError
from finalturn._serve.problems.failure import STATUS, FailureCode, SessionFullError, failure_of
from finalturn.providers import Scripted
from tests.serve._agents import SECRET

RESULT = Agent(Scripted("Hello.")).run("Hi")


def test_each_code_has_a_status() -> None:
    assert tuple(STATUS) == get_args(FailureCode)


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (ProviderError(SECRET), "provider_failed", False),
        (ProviderError(SECRET, retryable=True), "provider_failed", True),
        (SessionFullError(SECRET), "session_full", False),
        (SessionConflictError(SECRET), "session_conflict", True),
        (SessionError(SECRET), "session_unavailable", True),
        (SessionTimeoutError(SECRET), "session_unavailable", True),
        # It may have been saved: another try may save it twice.
        (SessionTimeoutError(SECRET, result=RESULT), "session_unavailable", False),
        (SessionDamagedError(SECRET), "session_damaged", False),
        (ScriptError(SECRET), "script_over", False),
        (ValueError(SECRET), "internal_error", False),
        (ExceptionGroup(SECRET, [ValueError(SECRET)]), "internal_error", False),
    ],
)
def test_what_a_client_is_told(error: Exception, code: str, retryable: bool) -> None:
    failure = failure_of(error)
    assert (failure.code, failure.retryable) == (code, retryable)
    assert SECRET not in failure.message and failure.message.endswith(".")
