"""Gathers the evidence: runs the contract's tests and the documents' examples, in processes of their own."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable
from typing import Any

from tools.contractdocs.evidence.model import Broken, Evidence, Example, Exempt, Proof, broken_by
from tools.contractdocs.evidence.run import work
from tools.contractdocs.findings import ROOT

PARTS = 2
LIMIT = 900.0
"""Seconds for the whole run: far more than honest work takes on a busy machine."""

EXEMPTIONS = "tests/contract/_exemptions.py"


def gather(work: Callable[[int, int, Any], None] = work, limit: float = LIMIT) -> Evidence:
    """Run everything and wait for it.

    Args:
        work: what a process runs; it sends all that it comes to at its end.
        limit: seconds to wait for each part.
    """
    spawn = multiprocessing.get_context("spawn")
    running: list[tuple[Any, Any]] = []
    for part in range(PARTS):
        receiver, sender = spawn.Pipe(duplex=False)
        process = spawn.Process(target=work, args=(part, PARTS, sender), daemon=True)
        process.start()
        sender.close()
        running.append((process, receiver))
    items: list[object] = []
    for process, receiver in running:
        try:
            items += receiver.recv() if receiver.poll(limit) else [_ended("took too long, and was stopped")]
        except EOFError:
            process.join()
            items.append(_ended(f"ended with exit code {process.exitcode}"))
        process.kill()
        receiver.close()
    proofs = [item for item in items if isinstance(item, Proof)]
    examples = [item for item in items if isinstance(item, Example)]
    exempt, unreadable = _exempt()
    return Evidence(
        proofs=tuple(sorted(proofs, key=lambda one: (one.file, one.line))),
        examples=tuple(sorted(examples, key=lambda one: (one.file, one.line))),
        broken=tuple(dict.fromkeys([*(item for item in items if isinstance(item, Broken)), *unreadable])),
        exempt=exempt,
    )


def _ended(how: str) -> Broken:
    return Broken("tools/contractdocs/evidence/run.py", 1, f"a process that runs the proofs {how}")


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
