"""Somebody with a key, who wants what is another's."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._serve.access.keys import new_key
from finalturn.serve import ApiKeys
from finalturn.sessions import InMemorySessions
from tests.serve._agents import Held, chat, desk
from tests.serve._asgi import Answer, Client
from tests.serve.threats._server import ALICE, ALICE_KEY, BOB, problem, server

pytestmark = pytest.mark.anyio


def said(answer: Answer) -> tuple[int, bytes, list[tuple[str, str]]]:
    return answer.status, answer.body, sorted(answer.headers)


async def test_a_session_of_somebody_else_is_like_one_that_is_not_there() -> None:
    app = server()
    alice, bob = Client(app, ALICE), Client(app, BOB)
    await chat(alice, session="private")
    for method in ("GET", "DELETE"):
        other = await bob.send(method, "/v1/sessions/private")
        missing = await bob.send(method, "/v1/sessions/nothing")
        assert problem(other) == (404, "not_found")
        assert said(other) == said(missing)
    assert (await alice.send("GET", "/v1/sessions/private")).status == 200


async def test_the_same_id_is_two_conversations() -> None:
    app = server()
    alice, bob = Client(app, ALICE), Client(app, BOB)
    await chat(alice, "The code is 1234.", session="s")
    await chat(bob, "What is the code?", session="s")
    found = await bob.send("GET", "/v1/sessions/s")
    assert b"1234" not in found.body and found.json["version"] == 1
    assert (await bob.send("DELETE", "/v1/sessions/s")).status == 204
    assert (await alice.send("GET", "/v1/sessions/s")).json["version"] == 1


async def test_a_list_holds_ones_own_sessions_alone() -> None:
    made = [new_key(name) for name in ("al", "alice", "al-", "al@x", "al.x")]
    app = server(keys=ApiKeys([line.split() for _, line in made]))
    clients = [Client(app, {"authorization": f"Bearer {key}"}) for key, _ in made]
    for number, client in enumerate(clients):
        await chat(client, session=f"of-{number}")
    for number, client in enumerate(clients):
        pages = [await client.send("GET", f"/v1/sessions?limit={limit}") for limit in (1, 100)]
        assert [[one["session"] for one in page.json["sessions"]] for page in pages] == [[f"of-{number}"]] * 2
        after = await client.send("GET", "/v1/sessions?after=0")
        assert [one["session"] for one in after.json["sessions"]] == [f"of-{number}"]


async def test_without_keys_nobody_sees_what_owners_have() -> None:
    sessions = InMemorySessions()
    await chat(Client(server(sessions=sessions), ALICE), session="private")
    client = Client(server(keys=None, sessions=sessions))
    for target in ("/v1/sessions?limit=1", "/v1/sessions"):
        answer = await client.send("GET", target)
        assert answer.status == 200 and b"alice" not in answer.body and b"private" not in answer.body
    for session in ("private", "alice:private", "alice%3Aprivate"):
        for method in ("GET", "DELETE"):
            assert (await client.send(method, f"/v1/sessions/{session}")).status in (400, 404)


async def test_a_run_of_somebody_else_is_like_one_that_is_not_there() -> None:
    held = Held()
    app = server(desk(held.items))
    alice, bob = Client(app, ALICE), Client(app, BOB)
    stream = alice.open("POST", "/v1/chat/stream", json={"input": "Hello", "session": "s"})
    await stream.until(b"Wait")
    run_id = stream.answer.header("x-run-id")
    replay = {"last-event-id": "0"}
    targets: list[tuple[Client, str, str]] = [
        (bob, f"{run_id}?session=s", "nothing?session=s"),
        (bob, f"{run_id}", "nothing"),
        (alice, f"{run_id}?session=other", "nothing?session=other"),
        (alice, f"{run_id}", "nothing"),
    ]
    for client, target, missing in targets:
        for method in ("GET", "DELETE"):
            path = "/v1/chat/stream/"
            found = await client.send(method, path + target, headers=replay)
            none = await client.send(method, path + missing, headers=replay)
            assert problem(found) == (404, "not_found")
            assert said(found) == said(none)
    assert not stream.ended and not held.stopped.is_set()
    held.go_on.set()
    answer = await stream.read()
    assert answer.records[-1]["type"] == "result"
    # What has ended is kept for its owner, and for nobody else.
    assert problem(await bob.send("GET", f"/v1/chat/stream/{run_id}?session=s", headers=replay))[0] == 404
    again = await alice.send("GET", f"/v1/chat/stream/{run_id}?session=s", headers=replay)
    assert again.records == answer.records


async def test_a_running_turn_is_found_by_its_owner_alone() -> None:
    held = Held()
    app = server(desk(held.items))
    alice, bob = Client(app, ALICE), Client(app, BOB)
    body: dict[str, Any] = {
        "id": "s",
        "trigger": "submit-message",
        "messages": [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}],
    }
    stream = alice.open("POST", "/ai-sdk", json=body)
    await stream.until(b"Wait")
    other = await bob.send("GET", "/ai-sdk/s/stream")
    assert (other.status, other.body) == (204, b"")
    # Nor is another's session busy because of it.
    assert (await bob.send("DELETE", "/v1/sessions/s")).status == 404
    held.go_on.set()
    assert (await stream.read()).status == 200


async def test_a_run_id_cannot_be_guessed() -> None:
    app = server()
    alice = Client(app, ALICE)
    ids = {(await alice.send("POST", "/v1/chat", json={"input": "x"})).header("x-run-id") for _ in range(20)}
    assert len(ids) == 20
    # 144 random bits, as base64url text.
    assert {len(run_id or "") for run_id in ids} == {24}
    assert ALICE_KEY not in str(ids)
