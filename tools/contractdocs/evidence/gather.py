"""Gathers the evidence: runs the contract's tests and the documents' examples, in processes of their own."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.contract._exemptions import EXEMPTIONS
from tools.contractdocs.evidence.model import Broken, Evidence, Example, Proof
from tools.contractdocs.findings import ROOT

PARTS = 2
COMMAND = (sys.executable, "-m", "tools.contractdocs.evidence.run")
LIMIT = 900.0
"""Seconds for the whole run: far more than honest work takes on a busy machine."""


def gather(command: Sequence[str] = COMMAND, limit: float = LIMIT) -> Evidence:
    """Run everything and wait for it.

    Args:
        command: writes all that a part comes to, pickled; it is given the part, and how many there are.
        limit: seconds to wait for it.
    """

    def run(part: int) -> list[object]:
        try:
            done = subprocess.run(
                [*command, str(part), str(PARTS)], cwd=ROOT, stdout=subprocess.PIPE, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return [_ended("took too long, and was stopped")]
        found: list[object] = [_ended(f"ended with exit code {done.returncode}")]
        return found if done.returncode else pickle.loads(done.stdout)

    with ThreadPoolExecutor(PARTS) as pool:
        items = [item for part in pool.map(run, range(PARTS)) for item in part]
    proofs = [item for item in items if isinstance(item, Proof)]
    examples = [item for item in items if isinstance(item, Example)]
    return Evidence(
        proofs=tuple(sorted(proofs, key=lambda one: (one.file, one.line))),
        examples=tuple(sorted(examples, key=lambda one: (one.file, one.line))),
        broken=tuple(dict.fromkeys(item for item in items if isinstance(item, Broken))),
        exempt=EXEMPTIONS,
    )


def _ended(how: str) -> Broken:
    return Broken("tools/contractdocs/evidence/run.py", 1, f"a process that runs the proofs {how}")
