"""The server process starts, says what went wrong, and always ends."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from finalturn._local.packages import LocalModelUnavailable
from finalturn._local.process import ServerProcess

Fake = Callable[[str], Path]
_CONNECT = "self.lifeline = socket.create_connection(('127.0.0.1', {}))"


class Lifeline:
    """A socket that a server process holds open: it ends when that process has ended."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(30)
        self.server_body = _CONNECT.format(self._listener.getsockname()[1])

    def accept(self) -> None:
        """Wait for the server process."""
        self._connection, _ = self._listener.accept()
        self._connection.settimeout(30)

    def has_ended(self) -> bool:
        """Wait for the end of the server process."""
        try:
            return self._connection.recv(1) == b""
        except ConnectionResetError:
            return True
        finally:
            self._connection.close()

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()


@pytest.fixture
def lifeline() -> Iterator[Lifeline]:
    lifeline = Lifeline()
    yield lifeline
    lifeline.close()


def test_a_server_that_listens_gives_its_address(fake_packages: Fake) -> None:
    server = ServerProcess(fake_packages("pass"), "name", load_timeout=60)
    assert server.address == "http://127.0.0.1:9"
    server.stop()


def test_stop_ends_the_process_and_can_be_repeated(fake_packages: Fake, lifeline: Lifeline) -> None:
    server = ServerProcess(fake_packages(lifeline.server_body), "name", load_timeout=60)
    lifeline.accept()
    server.stop()
    assert lifeline.has_ended()
    server.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no signal to ignore")
def test_a_process_that_ignores_the_signal_is_killed(
    fake_packages: Fake, lifeline: Lifeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finalturn._local.process._STOP_SECONDS", 0.05)
    body = f"signal.signal(signal.SIGTERM, signal.SIG_IGN); {lifeline.server_body}"
    server = ServerProcess(fake_packages(body), "name", load_timeout=60)
    lifeline.accept()
    server.stop()
    assert lifeline.has_ended()


_PARENT = """
import sys
from finalturn.local import LocalModel
with LocalModel() as model:
    print(model.url, flush=True)
    sys.stdin.read()
"""


def test_the_server_ends_when_its_parent_is_killed(fake_packages: Fake, lifeline: Lifeline) -> None:
    fake_packages(lifeline.server_body)
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        lifeline.accept()
        assert parent.stdout is not None
        assert parent.stdout.readline() == "http://127.0.0.1:9/v1\n"
        parent.kill()
    assert lifeline.has_ended()


def test_a_model_that_does_not_load_is_said_with_the_log_apart(fake_packages: Fake) -> None:
    weights = fake_packages("print('a line of the log'); raise RuntimeError('no\\nluck')")
    with pytest.raises(LocalModelUnavailable) as caught:
        ServerProcess(weights, "name", load_timeout=60)
    assert "did not load: RuntimeError: no luck. " in str(caught.value)
    assert "pip install --force-reinstall" in str(caught.value)
    assert "a line of the log" in (caught.value.detail or "")
    assert "a line of the log" not in str(caught.value)


def test_a_process_that_just_ends_is_said_with_its_exit_code(fake_packages: Fake) -> None:
    with pytest.raises(LocalModelUnavailable, match=r"ended before it listened \(exit code 3\)"):
        ServerProcess(fake_packages("os._exit(3)"), "name", load_timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends with an exit code there")
@pytest.mark.parametrize(("signal", "name"), [("signal.SIGILL", "SIGILL"), ("signal.SIGRTMIN + 5", "39")])
def test_a_process_that_crashes_is_said_with_its_signal(fake_packages: Fake, signal: str, name: str) -> None:
    with pytest.raises(LocalModelUnavailable, match=rf"\(signal {name}\): xllamacpp may not run on this"):
        ServerProcess(fake_packages(f"os.kill(os.getpid(), {signal})"), "name", load_timeout=60)


def test_a_process_that_never_listens_is_given_up(fake_packages: Fake) -> None:
    with pytest.raises(LocalModelUnavailable, match=r"did not load within 0\.5 s: give it a longer"):
        ServerProcess(fake_packages("threading.Event().wait()"), "name", load_timeout=0.5)


def test_an_interrupt_while_it_loads_leaves_nothing_running(
    fake_packages: Fake, lifeline: Lifeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> str:
        lifeline.accept()
        raise KeyboardInterrupt

    monkeypatch.setattr(ServerProcess, "_wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ServerProcess(fake_packages(lifeline.server_body), "name", load_timeout=60)
    assert lifeline.has_ended()
