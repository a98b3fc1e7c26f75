from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from finalturn._serve.access.owners import (
    OWNER_PATTERN,
    check_client_session,
    client_session,
    owner_key,
    prefix_of,
    stored_session,
)
from finalturn._serve.problems.problem import Problem
from finalturn._sessions.ids import check_session_id


@pytest.mark.parametrize("session", ["a", "A-1", "_x", "user@example.com", "0.1", "x" * 63, "CON"])
def test_allowed(session: str) -> None:
    assert check_client_session(session, "session") == session


@pytest.mark.parametrize(
    "session",
    ["", ".", "..", "../x", "..%2fx", "a/b", "C:\\x", "a:b", "x\0", "x\n", "x" * 64, "é", "@a", " a"],
)
def test_refused(session: str) -> None:
    with pytest.raises(Problem) as caught:
        check_client_session(session, "/session")
    assert caught.value.status_code == 400
    assert caught.value.errors[0][0] == "/session"


def test_owners_do_not_meet() -> None:
    assert stored_session("ann", "s") == "ann:s"
    assert stored_session(None, "s") == "s"
    assert client_session("ann", "ann:s") == "s"
    assert (prefix_of("ann"), prefix_of(None)) == ("ann:", "")


def test_a_store_takes_the_longest() -> None:
    assert check_session_id(stored_session("o" * 64, "s" * 63))


PLAIN = re.compile(OWNER_PATTERN)
# Those of keys, those of identity providers, and those that look like what a name is written as.
PLAIN_NAMES = st.from_regex(PLAIN, fullmatch=True)
NAMES = st.one_of(
    st.text(st.characters(categories=None), min_size=1, max_size=200),
    PLAIN_NAMES,
    st.from_regex(r"--?[a-c.@:|-]{0,4}(\.(2e|7c|3a|40|2d)[a-c@]?){0,30}", fullmatch=True).filter(bool),
    PLAIN_NAMES.map(owner_key).map(owner_key),
)
SESSIONS = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9._@-]{0,62}", fullmatch=True)


@given(NAMES, NAMES)
@example("auth0|1", "--auth0.7c1")
@example("--auth0.7c1", owner_key("--auth0.7c1"))
@example("x" * 65, owner_key("x" * 65))
@example("a:b", "a")
@example("\u00e9", "e\u0301")
def test_no_two_owners_are_written_alike(one: str, other: str) -> None:
    assume(one != other)
    assert owner_key(one) != owner_key(other)
    # Nobody's sessions are found under what somebody else's begin with.
    assert not stored_session(one, "s").startswith(prefix_of(other))
    assert not stored_session(other, "s").startswith(prefix_of(one))


@given(NAMES)
def test_what_an_owner_is_written_as_has_another_one(name: str) -> None:
    """Somebody who knows how a name is written gains nothing by taking that as their own."""
    written = owner_key(name)
    if written != name:
        assert owner_key(written) != written


@given(NAMES, SESSIONS)
def test_each_is_an_id_of_a_store_and_is_found_again(name: str, session: str) -> None:
    stored = stored_session(name, session)
    assert check_session_id(stored) == stored
    assert client_session(name, stored) == session
    assert stored.count(":") == 1


@pytest.mark.parametrize("name", ["alice", "a.b@c-D_9", "-", "--x", "--a.b", "-@x", "x" * 64])
def test_the_name_of_a_key_stands_as_it_is(name: str) -> None:
    assert owner_key(name) == name


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("auth0|1", "--auth0.7c1"),
        ("a+b@example.com", "--a.2bb@example.2ecom"),
        (".a", "--.2ea"),
        ("\u00e9", "--.c3.a9"),
        ("--auth0.7c1", "----auth0.2e7c1"),
    ],
)
def test_another_name_can_be_read_in_it(name: str, written: str) -> None:
    assert owner_key(name) == written
