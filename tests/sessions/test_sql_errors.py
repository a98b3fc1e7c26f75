"""Failures in finalturn's words."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy.exc import OperationalError, TimeoutError

from finalturn import SessionConflictError, SessionError
from finalturn.sessions._sql_errors import conflict, reporting


def test_the_cause_is_the_drivers_error_and_not_what_was_to_be_saved() -> None:
    driver = sqlite3.OperationalError("disk full")
    with pytest.raises(SessionError) as caught, reporting("the turn could not be saved"):
        raise OperationalError("INSERT", {"messages": "secret"}, driver)
    assert str(caught.value) == "the turn could not be saved (OperationalError)"
    assert caught.value.__cause__ is driver and caught.value.__suppress_context__


def test_an_error_of_sqlalchemy_itself_is_its_own_cause() -> None:
    error = TimeoutError("no connection is free")
    with pytest.raises(SessionError, match=r"it failed \(TimeoutError\)") as caught, reporting("it failed"):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [SessionError("damaged"), ValueError("anything"), KeyboardInterrupt()])
def test_any_other_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, reporting("it failed"):
        raise error
    assert caught.value is error


def test_a_conflict_says_what_to_do() -> None:
    assert isinstance(conflict(), SessionConflictError)
    assert "load it again" in str(conflict())
