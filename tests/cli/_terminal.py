"""The command line on a pseudo-terminal."""

from __future__ import annotations

import os
import select
import subprocess
import time
from types import TracebackType
from typing import Self

from tests.cli._command import ROOT, command, environment

# Seconds until a test gives up; nothing waits for them to pass.
_GUARD = 60.0


class Terminal:
    """A process whose input and output are a terminal of 24 lines and 80 columns."""

    def __init__(self, *arguments: str) -> None:
        import pty

        self._mine, theirs = pty.openpty()
        self.process = subprocess.Popen(
            command(*arguments),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env=environment(COLUMNS="80", LINES="24"),
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""
        self._read_to = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(_GUARD)
        os.close(self._mine)

    def type(self, text: str) -> None:
        """Type this."""
        os.write(self._mine, text.encode())

    def wait_for(self, text: str) -> None:
        """Read until this has come, after what was waited for before."""
        until = time.monotonic() + _GUARD
        while (found := self.text.find(text, self._read_to)) < 0:
            assert self._read(until, text), f"it ended without {text!r}: {self.text[-2000:]}"
        self._read_to = found + len(text)

    def end(self) -> int:
        """Read to the end; the exit code."""
        until = time.monotonic() + _GUARD
        while self._read(until, "its end"):
            pass
        return self.process.wait(_GUARD)

    def _read(self, until: float, awaited: str) -> bool:
        # Something comes all the time: whoever waits for a model is shown that.
        ready, _, _ = select.select([self._mine], [], [], max(0.0, until - time.monotonic()))
        assert ready, f"{awaited!r} did not come: {self.text[-2000:]}"
        try:
            piece = os.read(self._mine, 65536)
        except OSError:  # Linux says so when the other end is closed.
            return False
        self.text += piece.decode("utf-8", "replace")
        return bool(piece)
