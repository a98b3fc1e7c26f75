"""The other libraries, each in an environment and a process of its own, asked for work line by line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tools.bench._rounds import Case

LIBRARIES = ("selectools", "pydantic-ai", "openai-agents", "langchain")

ROOT = Path(__file__).resolve().parents[2]


class PeerProcess:
    """One library.

    Attributes:
        name: its package and version.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.name: str = self._answer()["name"]

    def case(self, work: str, url: str, wanted: Any, /, *, units: int, **given: Any) -> Case:
        """Its way to do a piece of work.

        Args:
            url: where to send to.
            wanted: what must come of it.
            units: what the time is divided by.
            given: what the work needs to know.
        """
        line = json.dumps({"work": work, "url": url, "given": given})

        async def timed() -> float:
            assert self._process.stdin is not None
            print(line, file=self._process.stdin, flush=True)
            answer = self._answer()
            assert answer["result"] == wanted, f"{self.name}: {work} came to something else"
            return float(answer["seconds"]) / units

        return timed

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a library's process has ended, with {self._process.wait(60)}")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise RuntimeError(f"{self.name}: {found['error']}")
        return found


@contextmanager
def peers(folder: Path) -> Generator[Sequence[PeerProcess]]:
    """The libraries, while the block runs.

    Args:
        folder: holds an environment for each.
    """
    with ExitStack() as stack:
        yield [stack.enter_context(_running(folder / name, name)) for name in LIBRARIES]


@contextmanager
def _running(environment: Path, name: str) -> Generator[PeerProcess]:
    module = name.replace("-", "_")
    python = str(environment / "bin" / "python")
    command = [python, "-W", "ignore", "-m", "tools.bench.peers._runner", module]
    # Its environment alone: no settings or keys of this machine.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield PeerProcess(process)
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
