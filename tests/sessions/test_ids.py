"""Which session ids are allowed."""

from __future__ import annotations

import pytest

from finalturn import SessionError
from finalturn._sessions.ids import check_session_id


@pytest.mark.parametrize("session", ["a", "user-1", "A_b.c:d@e", "-", "_", "9" * 128])
def test_an_id_that_is_allowed_is_given_back(session: str) -> None:
    assert check_session_id(session) == session


@pytest.mark.parametrize(
    "session",
    [
        "",
        ".",
        "..",
        "../x",
        "..%2fx",
        "a/b",
        "C:\\x",
        "x\x00",
        "9" * 129,
        ":a",
        "@a",
        "ü",
        "a b",
        "a\n",
        None,
        7,
        b"a",
    ],
)
def test_any_other_is_refused_without_being_quoted(session: object) -> None:
    with pytest.raises(SessionError, match="the session id is not allowed") as caught:
        check_session_id(session)
    assert caught.value.result is None
