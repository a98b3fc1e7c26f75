"""A server is stopped by signals, and cuts nobody off."""

from __future__ import annotations

import json
import signal
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import pytest

from tests.cli._serving import serving

pytestmark = pytest.mark.processes

DRAINING = "draining; press Ctrl-C again to stop at once"


def records(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]


def test_a_stream_goes_on_while_the_server_drains(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        stream = server.stream()
        server.signal(signal.SIGTERM)
        server.log_until(DRAINING)
        assert server.send("GET", "/health") == (503, {"status": "draining"})
        status, problem = server.send("POST", "/v1/chat", {"input": "hi"})
        assert (status, problem["code"]) == (503, "shutting_down")
        server.go_on()
        assert records(stream.read())[-1]["type"] == "result"
        assert server.ends() == 0


def test_a_stream_that_takes_too_long_ends_with_an_error(tmp_path: Path) -> None:
    """And neither the answers nor the log tell what is nobody's business."""
    with serving(tmp_path, "--drain-timeout", "0") as server:
        answer = server.ask("GET", "/v1/sessions?after=SECRET", headers={"X-Forwarded-For": "10.0.0.1"})
        assert answer.status == 200 and answer.getheader("Server") is None
        assert server.ask("GET", "/health", headers={"X-Large": "x" * 200_000}).status == 431
        stream = server.stream()
        server.signal(signal.SIGINT)
        last = records(stream.read())[-1]
        assert (last["type"], last["code"]) == ("error", "shutting_down")
        log = json.dumps(server.log_until(DRAINING))
        assert not any(word in log for word in ("SECRET", "after", "10.0.0.1"))
        assert server.ends() == 0


def test_a_second_interrupt_stops_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        stream = server.stream()
        server.signal(signal.SIGTERM)
        server.signal(signal.SIGTERM)
        server.log_until(DRAINING)
        server.signal(signal.SIGINT)
        assert server.ends() == -signal.SIGINT
        with pytest.raises(IncompleteRead):
            stream.read()


@pytest.mark.parametrize("ignored", ["INT", "INT TERM HUP"])
def test_one_that_was_told_to_ignore_interrupts_does_and_can_be_stopped(tmp_path: Path, ignored: str) -> None:
    """So a script starts its background jobs."""
    with serving(tmp_path, ignored=ignored) as server:
        stream = server.stream()
        server.signal(signal.SIGINT)
        assert server.send("GET", "/health") == (200, {"status": "ok"})
        server.signal(signal.SIGTERM)
        server.log_until(DRAINING)
        server.signal(signal.SIGINT)
        server.go_on()
        assert records(stream.read())[-1]["type"] == "result"
        assert server.ends() == 0
