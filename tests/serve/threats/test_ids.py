"""Ids that are paths, headers, or something else than ids."""

from __future__ import annotations

import logging
from urllib.parse import quote

import pytest

from finalturn import SessionError
from finalturn.sessions import InMemorySessions
from tests.serve._asgi import Client
from tests.serve.threats._server import ALICE, BOB, SURFACES, Surface, problem, server

pytestmark = pytest.mark.anyio

IDS = [
    "../x",
    "..%2fx",
    "..",
    ".",
    "a/b",
    "/etc/passwd",
    "C:\\x",
    "x\x00",
    "x\r\nX-Evil: 1",
    "x\n",
    "x y",
    " x",
    "bob:x",
    ":x",
    "@x",
    "é",
    "ｘ",
    "x" * 64,
    "x" * 300,
    "",
    "${jndi:x}",
    "'; DROP TABLE turns; --",
    "x*",
    "x%",
]
# Names of devices on Windows: allowed, as a store must not take an id for the name of a file.
ALLOWED = ["CON", "nul", "aux.txt", "x..y", "x" * 63, "-", "_", "a@b"]


@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.path)
async def test_a_malformed_session_id_in_a_body_is_400(surface: Surface) -> None:
    sessions = InMemorySessions()
    client = Client(server(sessions=sessions), ALICE)
    bodies: set[bytes] = set()
    for session in IDS:
        answer = await client.send("POST", surface.path, json=surface.body(session=session))
        assert problem(answer) == (400, "malformed_request"), session
        assert [error["field"] for error in answer.json["errors"]] == [f"/{surface.session_field}"]
        bodies.add(answer.body)
    # The words are the same for all: nothing of what was sent comes back.
    assert len(bodies) == 1
    assert sessions.list_sessions("", "", 10) == []


async def test_a_malformed_session_id_in_a_url_finds_nothing() -> None:
    client = Client(server(), ALICE)
    for session in IDS:
        encoded = quote(session, safe="")
        # An id with a slash in it is another path, and an empty one is none.
        in_path = (404, "not_found") if "/" in session or not session else (400, "malformed_request")
        for method in ("GET", "DELETE"):
            answer = await client.send(method, f"/v1/chat/stream/r?session={encoded}")
            assert problem(answer) == (400, "malformed_request"), session
            assert problem(await client.send(method, f"/v1/sessions/{encoded}")) == in_path, session
        assert problem(await client.send("GET", f"/ai-sdk/{encoded}/stream")) == in_path, session
        assert problem(await client.send("GET", f"/v1/sessions?after={encoded}"))[0] == 400, session


async def test_an_allowed_id_is_only_an_id() -> None:
    sessions = InMemorySessions()
    client = Client(server(sessions=sessions), ALICE)
    for session in ALLOWED:
        answer = await client.send("POST", "/v1/chat", json={"input": "Hello", "session": session})
        assert answer.status == 200
        assert (await client.send("GET", f"/v1/sessions/{session}")).status == 200
    found = {one.session for one in sessions.list_sessions("", "", 100)}
    assert found == {f"alice:{session}" for session in ALLOWED}


def test_a_store_checks_ids_again() -> None:
    sessions = InMemorySessions()
    # A colon is for the server, which puts the owner's name before it; and a store takes longer ids.
    for session in sorted({*IDS} - {"x" * 64, "bob:x"}):
        with pytest.raises(SessionError):
            sessions.load(session)
        with pytest.raises(SessionError):
            sessions.append(session, (), 0)


async def test_a_run_id_that_is_none_is_404() -> None:
    client = Client(server(), ALICE)
    for run_id in ("../x", "..%2f..%2fx", "x%00", "x%0d%0aX-Evil:%201", "%ff", "x" * 5_000, "alice:x", "CON"):
        for method in ("GET", "DELETE"):
            answer = await client.send(method, f"/v1/chat/stream/{run_id}")
            assert problem(answer) == (404, "not_found"), run_id
            assert b"Evil" not in answer.body


async def test_a_malformed_last_event_id_is_400() -> None:
    client = Client(server(), ALICE)
    for value in ("-1", "1.5", "1e3", "0x1", " ", "", "1\r\nX-Evil: 1", "9" * 20, "१", "x", "1,2", b"\xff"):
        sent = value if isinstance(value, bytes) else value.encode()
        answer = await client.send("GET", "/v1/chat/stream/x", headers={"last-event-id": sent})
        assert problem(answer) == (400, "malformed_request"), value
        assert b"Evil" not in answer.body


async def test_no_header_and_no_log_line_can_be_forged(caplog: pytest.LogCaptureFixture) -> None:
    forged = "x\r\nFORGED: 1"
    client = Client(server(), {**ALICE, "user-agent": forged.encode(), "x-request-id": forged.encode()})
    with caplog.at_level(logging.DEBUG):
        for surface in SURFACES:
            for body in (
                surface.body(forged),
                surface.body(session=forged),
                surface.body(**{forged: forged}),
            ):
                answer = await client.send(
                    "POST", f"{surface.path}?{quote(forged)}={quote(forged)}", json=body
                )
                for name, value in answer.headers:
                    assert (
                        "\r" not in name + value and "\n" not in name + value and "FORGED" not in name + value
                    )
        await client.send("GET", f"/v1/sessions/{quote(forged)}")
        await client.send("GET", f"/{quote(forged)}")
        await Client(server(), {**BOB, "authorization": forged.encode()}).send("GET", "/v1/sessions")
    for record in caplog.records:
        told = f"{record.getMessage()} {vars(record)}"
        assert "FORGED" not in told, record.name
