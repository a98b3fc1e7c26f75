from __future__ import annotations

import pytest

from finalturn.serve._owners import check_client_session, client_session, prefix_of, stored_session
from finalturn.serve._problem import Problem
from finalturn.sessions._ids import check_session_id


@pytest.mark.parametrize("given", ["a", "A-1", "_x", "user@example.com", "0.1", "x" * 63, "CON"])
def test_allowed(given: str) -> None:
    assert check_client_session(given, "session") == given


@pytest.mark.parametrize(
    "given", ["", ".", "..", "../x", "..%2fx", "a/b", "C:\\x", "a:b", "x\0", "x\n", "x" * 64, "é", "@a", " a"]
)
def test_refused(given: str) -> None:
    with pytest.raises(Problem) as caught:
        check_client_session(given, "/session")
    assert caught.value.status_code == 400
    assert caught.value.errors[0][0] == "/session"


def test_owners_do_not_meet() -> None:
    assert stored_session("ann", "s") == "ann:s"
    assert stored_session(None, "s") == "s"
    assert client_session("ann", "ann:s") == "s"
    assert (prefix_of("ann"), prefix_of(None)) == ("ann:", "")


def test_a_store_takes_the_longest() -> None:
    assert check_session_id(stored_session("o" * 64, "s" * 63))
