"""The npm package @copilotkit/aimock: a server that speaks the formats of many vendors."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from tests.live._need import absent

FIXTURES = Path(__file__).with_name("aimock_fixtures.json")
SERVER = Path(__file__).resolve().parents[2] / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
SECONDS = 60.0
LISTENS = "listening on "


@contextmanager
def aimock() -> Generator[str]:
    """The address of the server, while it runs."""
    node = shutil.which("node")
    if node is None:
        absent("there is no node")
    if not SERVER.is_file():
        absent("aimock is not installed: npm ci")
    command = [node, str(SERVER), "--port", "0", "--host", "127.0.0.1", "--fixtures", str(FIXTURES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        # What it goes on to say is read away: a full pipe would stop it.
        rest = threading.Thread(target=process.stdout.read, daemon=True)
        try:
            address = _address(process, process.stdout)
            rest.start()
            _wait_for(address, process)
            yield address
        finally:
            process.kill()
            if rest.ident is not None:
                rest.join()


def _address(process: subprocess.Popen[str], lines: Iterable[str]) -> str:
    """Where it says that it listens: it has chosen a free port itself."""
    # Without that line in time, reading ends: the process is gone.
    late = threading.Timer(SECONDS, process.kill)
    late.start()
    said: list[str] = []
    try:
        for line in lines:
            said.append(line)
            if LISTENS in line:
                return line.partition(LISTENS)[2].strip()
    finally:
        late.cancel()
    raise RuntimeError("aimock does not start:\n" + "".join(said))


def _wait_for(address: str, process: subprocess.Popen[str]) -> None:
    """Until it says that it is well."""
    opener = build_opener(ProxyHandler({}))
    end = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < end:
        with suppress(URLError, ConnectionError), opener.open(f"{address}/health", timeout=SECONDS) as answer:
            if json.load(answer)["status"] == "ok":
                return
        time.sleep(0.05)
    raise RuntimeError("aimock is not well")
