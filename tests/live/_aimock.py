"""The npm package @copilotkit/aimock: a server that speaks the formats of many vendors."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Generator
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
        # Without a line in time, reading ends: the process is gone.
        late = threading.Timer(SECONDS, process.kill)
        late.start()
        try:
            assert process.stdout is not None
            said: list[str] = []
            for line in process.stdout:
                said.append(line)
                if LISTENS in line:
                    break
            else:
                raise RuntimeError("aimock does not start:\n" + "".join(said))
            address = said[-1].partition(LISTENS)[2].strip()
            # Nobody reads on, and a full pipe would stop it.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            _wait_for(address, process)
            late.cancel()
            yield address
        finally:
            late.cancel()
            process.kill()


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
