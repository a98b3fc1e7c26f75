"""A server that was asked to end does, whatever its turns are about, and tells everybody why."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tests.cli._serving import Serving, serving

pytestmark = pytest.mark.processes

MODULE = '''
import asyncio, logging, threading, time
from finalturn import Agent, StructuredOutputConfig, tool
from finalturn.providers import Scripted
from pydantic import BaseModel

class Answer(BaseModel):
    """What a turn ends in."""
    text: str

@tool
def sleeps() -> str:
    """Sleep in a thread."""
    time.sleep(600)
    return ""

@tool
async def swallows() -> str:
    """Take no notice of a cancellation."""
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass

def blocks(messages: object, text: object) -> bool:
    logging.getLogger("finalturn").warning("blocked")
    time.sleep(600)
    return True

class Hangs:
    """A store whose save does not end."""
    def load(self, session): return History()
    async def append(self, session, messages, version):
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass

from finalturn import SessionHistory
def History(): return SessionHistory((), 0)

def threads():
    threading.Thread(target=time.sleep, args=(600,)).start()
    return agent_of("One")

def agent_of(*calls, **more):
    return Agent(Scripted(*calls, then="Hi."), tools=[sleeps, swallows], **more)

sync_tool = lambda: agent_of(["One", Scripted.call("sleeps", {})])
async_tool = lambda: agent_of(["One", Scripted.call("swallows", {})])
save = lambda: agent_of("One", sessions=Hangs())
predicate = lambda: agent_of(
    "One",
    response_format=Answer,
    structured_output=StructuredOutputConfig(final_turn_only=True, should_finalize=blocks),
)
agent = None
'''

BOUND = 1 + 14
"""Seconds: the drain's, and some more."""


def last_record(stream: Any) -> dict[str, Any]:
    lines = [line for line in stream.read().decode().splitlines() if line.startswith("data: ")]
    found: dict[str, Any] = json.loads(lines[-1][6:])
    return found


def module(name: str) -> str:
    return f"{MODULE}\nagent = {name}()\n"


def stop(server: Serving, *signals: signal.Signals) -> int:
    begun = monotonic()
    for number in signals:
        server.signal(number)
    code = server.ends()
    assert monotonic() - begun < BOUND
    return code


@pytest.mark.parametrize(
    ("name", "signals"),
    [
        ("sync_tool", [signal.SIGTERM]),
        ("async_tool", [signal.SIGINT, signal.SIGTERM]),
        ("save", [signal.SIGTERM]),
    ],
)
def test_it_ends_in_time_and_every_client_is_told(
    tmp_path: Path, name: str, signals: list[signal.Signals]
) -> None:
    with serving(tmp_path, "--drain-timeout", "0.2", module=module(name)) as server:
        stream = server.ask("POST", "/v1/chat/stream", {"input": "hi"} | session_of(name))
        while b"One" not in stream.readline():
            pass
        assert stop(server, *signals) == 0
        last = last_record(stream)
        # Of a turn that is being saved, nobody knows whether it will be.
        told = ("session_unavailable", False) if name == "save" else ("shutting_down", True)
        assert (last["type"], last["code"], last["retryable"]) == ("error", *told)


def session_of(name: str) -> dict[str, str]:
    return {"session": "s"} if name == "save" else {}


def test_who_waits_for_a_whole_answer_is_told_too(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-timeout", "0.2", module=module("async_tool")) as server:
        stream = server.ask("POST", "/v1/chat/stream", {"input": "hi"})
        while b"One" not in stream.readline():
            pass
        body = json.dumps({"input": "hi"}).encode()
        head = b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        whole = server.connect(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        silent = server.connect(b"GET /")
        assert stop(server, signal.SIGTERM) == 0
        assert whole.recv(13) in (b"HTTP/1.1 200 ", b"HTTP/1.1 503 ")
        assert silent.recv(1) == b""


def test_a_thread_that_nobody_stops_holds_nothing_up(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-timeout", "0.2", module=module("threads")) as server:
        assert server.send("POST", "/v1/chat", {"input": "hi"})[0] == 200
        assert stop(server, signal.SIGTERM) == 0
        assert server.log_to_end()[-1]["threads"] == 1


def blocked(server: Serving) -> socket.socket:
    """A client whose turn blocks the event loop."""
    body = b'{"input": "hi"}'
    head = b"POST /v1/chat/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    client = server.connect(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.log_until("blocked")
    return client


def test_a_function_that_blocks_the_event_loop_is_interrupted(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-timeout", "0.2", module=module("predicate")) as server:
        waits = server.connect(b"GET /")
        client = blocked(server)
        assert stop(server, signal.SIGTERM, signal.SIGTERM) == 0
        found = b""
        while part := client.recv(65_536):
            found += part
        assert b'"code":"shutting_down"' in found and found.endswith(b"0\r\n\r\n")
        assert waits.recv(1) == b""


def test_a_second_interrupt_stops_at_once_whatever_goes_on(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-timeout", "60", module=module("predicate")) as server:
        blocked(server)
        # Nothing tells when one of them was taken note of; there is no drain that ends before a minute.
        for _ in range(300):
            server.signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                assert server.ends(0.1) == -signal.SIGINT
                break
        else:
            raise AssertionError("it goes on")


def test_a_save_that_waits_for_a_lock_is_whole_or_not_there(tmp_path: Path) -> None:
    kept = ("--sessions", "kept.db", "--drain-timeout", "0.2")
    with serving(tmp_path, *kept) as server:
        stream = server.stream()
        with closing(sqlite3.connect(tmp_path / "kept.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            server.go_on()
            while b" two." not in stream.readline():
                pass
            assert stop(server, signal.SIGTERM) == 0
            other.execute("ROLLBACK")
        last = last_record(stream)
        assert last["type"] == "error" and last["code"] in ("shutting_down", "session_unavailable")
    with serving(tmp_path, *kept) as server:
        assert server.send("GET", "/v1/sessions/s1")[0] == 404


STARTING = """
import time
from finalturn import Agent, SessionHistory
from finalturn.providers import Scripted

class Sessions:
    def append(self, session, messages, version): pass
    async def load(self, session):
        print("Open http://127.0.0.1:1", flush=True)
        import asyncio
        await asyncio.sleep(600)

agent = Agent(Scripted("Hi."), sessions=Sessions())
"""
IMPORTING = "import time\nprint('Open http://127.0.0.1:1', flush=True)\ntime.sleep(600)\n"


@pytest.mark.parametrize("module", [STARTING, IMPORTING])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_work_while_it_starts(tmp_path: Path, module: str, number: signal.Signals) -> None:
    with serving(tmp_path, module=module) as server:
        code = stop(server, number)
        assert code in (-number, 128 + number)


FROZEN = """
import asyncio, logging
from finalturn import Agent, SessionHistory
from finalturn.providers import Scripted
from pathlib import Path

class Sessions:
    session_timeout = 1
    def append(self, session, messages, version): pass
    async def load(self, session):
        if Path("frozen").exists():
            await asyncio.sleep(600)
        return SessionHistory((), 0)

agent = Agent(Scripted("Hi."), sessions=Sessions())
"""


def test_it_is_not_ready_while_its_store_does_not_answer(tmp_path: Path) -> None:
    with serving(tmp_path, module=FROZEN) as server:
        assert server.send("GET", "/health") == (200, {"status": "ok"})
        (tmp_path / "frozen").touch()
        for _ in range(600):
            if server.send("GET", "/health") == (503, {"status": "session_unavailable"}):
                break
            sleep(0.1)
        else:
            raise AssertionError("it is said to be ready")
        (tmp_path / "frozen").unlink()
        for _ in range(600):
            if server.send("GET", "/health") == (200, {"status": "ok"}):
                break
            sleep(0.1)
        else:
            raise AssertionError("it does not come back")
