"""What a log says of why something failed."""

from __future__ import annotations

import sqlite3
import traceback
from contextlib import closing

import pytest

from finalturn import ConfigurationError, ProviderError, SessionError, ToolError
from finalturn._serve.logs.reasons import reasons_of, without_text
from tests.serve._agents import SECRET


class Driver(Exception):
    """A driver's error."""

    def __init__(self, text: str, sqlstate: str | None = None) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


class Wrapped(Exception):
    """As SQLAlchemy wraps a driver's."""

    def __init__(self, orig: Exception) -> None:
        super().__init__(f"[SQL: INSERT {SECRET}]")
        self.orig = orig


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


def test_a_provider_says_what_was_wrong_and_the_vendor_its_code() -> None:
    error = ProviderError("the provider refused the key", status=401, code="invalid_api_key", detail=SECRET)
    assert reasons_of(error) == {
        "reason": "the provider refused the key",
        "status": 401,
        "vendor_code": "invalid_api_key",
    }


@pytest.mark.parametrize("code", [SECRET, "two\nlines", "", "x" * 65, "say: hello", None])
def test_what_is_no_code_of_a_vendor_is_left_out(code: str | None) -> None:
    assert "vendor_code" not in reasons_of(ProviderError("it failed", code=code))


def test_a_database_says_its_code() -> None:
    lost = caused(SessionError("it could not be saved"), Wrapped(Driver(SECRET, "57P01")))
    assert reasons_of(lost) == {"reason": "it could not be saved", "cause": "Driver", "cause_code": "57P01"}
    with closing(sqlite3.connect(":memory:")) as database, pytest.raises(sqlite3.Error) as refused:
        database.execute("SELECT * FROM nothing")
    found = reasons_of(caused(SessionError("no"), refused.value))
    assert found == {"reason": "no", "cause": "OperationalError", "cause_code": "SQLITE_ERROR"}
    full = caused(SessionError("no"), OSError(28, SECRET))
    assert reasons_of(full) == {"reason": "no", "cause": "OSError", "cause_code": 28}


def test_causes_that_go_in_a_circle_end() -> None:
    error = SessionError("no")
    assert reasons_of(caused(error, caused(ValueError(), error)))["reason"] == "no"


@pytest.mark.parametrize("error", [ValueError(SECRET), ToolError(SECRET), KeyError(SECRET)])
def test_nothing_is_said_of_what_is_not_ours(error: Exception) -> None:
    assert reasons_of(error) == {}


@pytest.mark.parametrize(
    "careless",
    [
        SECRET,
        "sk-proj-abc123",
        "finalturn_o5riQ1rhOtVkxa-MF3xMzb9ZKw_hD9A7edayl3_VCEM",
        "Bearer abc123",
        "AIzaSyA1b2c3d4",
        "a1b2c3d4e5f6a7b8c9d0",
        "/srv/app/secret.py",
        "C:\\app\\secret.py",
        "postgresql://ann:pass@host/name",
        "https://host/v1?key=abc",
    ],
)
def test_a_key_or_a_path_of_a_careless_provider_is_left_out(careless: str) -> None:
    cases: list[str] = ["{}", "it failed at {} twice", "it failed: '{}'", "({})"]
    for around in cases:
        found = str(reasons_of(ConfigurationError(around.format(careless)))["reason"])
        assert "..." in found, around
        assert not any(part in found for part in (careless, "secret", "abc", "pass")), around


@pytest.mark.parametrize(
    "text",
    [
        "the model claude-sonnet-4-5-20250929 is not known (HTTP 404)",
        "nothing listens at 127.0.0.1:11434; is the server running?",
        "gpt-5-mini and/or text-embedding-3-small",
        "another turn was saved to this session meanwhile; load it again and repeat the turn",
    ],
)
def test_what_helps_is_kept(text: str) -> None:
    assert reasons_of(ProviderError(text))["reason"] == text


def fails() -> None:
    raise ValueError(SECRET) from KeyError(SECRET)


def test_where_it_was_raised_but_not_what_it_says() -> None:
    with pytest.raises(ValueError, match=SECRET) as caught:
        fails()
    said = "".join(traceback.format_exception(*without_text(caught.value)))
    assert "in fails" in said and "ValueError" in said
    assert SECRET not in said
