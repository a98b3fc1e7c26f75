"""Gathers the evidence: runs the contract's tests and the documents' examples, in processes of their own."""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from tools.contractdocs.evidence.model import Begun, Broken, Evidence, Example, Exempt, Proof, broken_by
from tools.contractdocs.evidence.run import work
from tools.contractdocs.findings import ROOT

PARTS = 2
LIMIT = 900.0
"""Seconds for the whole run: far more than honest work takes on a busy machine."""

EXEMPTIONS = "tests/contract/_exemptions.py"
NOTHING_BEGUN = Begun("tools/contractdocs/evidence/run.py", 1, "nothing")

Work = Callable[[int, int, "Connection[Any, Any]"], None]


def gather(work: Work = work, parts: int = PARTS, limit: float = LIMIT) -> Evidence:
    """Run everything and wait for it.

    Args:
        work: what a process runs; it sends what it comes to, and ``None`` at its end.
        parts: how many processes share it.
        limit: seconds for the whole run.
    """
    listen = partial(_listen, work, parts, time.monotonic() + limit)
    with ThreadPoolExecutor(parts) as pool:
        items = [item for received in pool.map(listen, range(parts)) for item in received]
    proofs = [item for item in items if isinstance(item, Proof)]
    examples = [item for item in items if isinstance(item, Example)]
    exempt, unreadable = _exempt()
    return Evidence(
        proofs=tuple(sorted(proofs, key=lambda one: (one.file, one.line))),
        examples=tuple(sorted(examples, key=lambda one: (one.file, one.line))),
        broken=tuple(dict.fromkeys([*(item for item in items if isinstance(item, Broken)), *unreadable])),
        exempt=exempt,
    )


def _listen(work: Work, parts: int, until: float, part: int) -> list[Any]:
    """What a process sends; last, where it stopped, if it did not come to its end."""
    spawn = multiprocessing.get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=work, args=(part, parts, sender), daemon=True)
    process.start()
    sender.close()
    items: list[Any] = []
    end = ""
    try:
        while receiver.poll(max(0.0, until - time.monotonic())):
            if (item := receiver.recv()) is None:
                return items
            items.append(item)
        process.kill()
        end = "it was stopped, as it took too long,"
    except (EOFError, OSError):
        pass  # it is gone, maybe in the middle of what it sent
    finally:
        process.join(60)
        receiver.close()
    end = end or f"it ended with exit code {process.exitcode}"
    file, line, name = next((one for one in reversed(items) if isinstance(one, Begun)), NOTHING_BEGUN)
    return [*items, Broken(file, line, f"the run did not come to its end: {end} while it ran {name}")]


def _exempt() -> tuple[tuple[Exempt, ...], list[Broken]]:
    """The declared exemptions; their lines are those of the calls that make them."""
    try:
        from tests.contract._exemptions import EXEMPTIONS as declared
    except Exception as error:
        return (), [broken_by(error, ROOT / EXEMPTIONS, "cannot be imported")]
    text = (ROOT / EXEMPTIONS).read_text(encoding="utf-8")
    lines = [text.count("\n", 0, call.start()) + 1 for call in re.finditer(r"^ +Exemption\(", text, re.M)]
    return tuple(
        Exempt(one.clause.id, one.surface.value, one.drivers, one.kinds, one.reason, EXEMPTIONS, line)
        for one, line in zip(declared, lines, strict=True)
    ), []
