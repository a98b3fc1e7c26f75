"""Gathers the evidence: runs the contract's tests and the documents' examples, in processes of their own."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.contractdocs.evidence.model import Broken, Evidence, Example, Exempt, Proof
from tools.contractdocs.findings import ROOT

PARTS = 2
LIMIT = 900.0
"""Seconds for the whole run: far more than honest work takes on a busy machine."""

MODULE = "tools.contractdocs.evidence.run"
RUN = "tools/contractdocs/evidence/run.py"
EXEMPTIONS = "tests/contract/_exemptions.py"


def gather(parts: int = PARTS) -> Evidence:
    """Run everything and wait for it."""
    return Gathering(parts).evidence()


class Gathering:
    """A run under way, so that something else can be done meanwhile.

    Args:
        parts: how many processes share it.
        limit: seconds for the whole run.
    """

    def __init__(self, parts: int = PARTS, limit: float = LIMIT) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._until = time.monotonic() + limit
        self._parts = [_Part(part, parts, Path(self._folder.name)) for part in range(parts)]

    def evidence(self) -> Evidence:
        """Wait for its end; what it came to."""
        lines = [line for part in self._parts for line in part.lines(self._until)]
        self._folder.cleanup()
        cases = sorted((line for line in lines if "case" in line), key=lambda line: int(line["place"]))
        examples = [Example(**line["example"]) for line in lines if "example" in line]
        broken = [Broken(**one) for line in lines for one in line.get("broken", [])]
        exempt, unreadable = _exempt()
        return Evidence(
            proofs=tuple(_proof(line["case"]) for line in cases),
            examples=tuple(sorted(examples, key=lambda one: (one.file, one.line))),
            unclaimed=tuple((*one,) for line in lines for one in line.get("unclaimed", [])),
            broken=tuple(dict.fromkeys([*broken, *unreadable])),
            exempt=exempt,
        )


class _Part:
    def __init__(self, part: int, parts: int, folder: Path) -> None:
        self._written = folder / f"{part}.jsonl"
        self._said = folder / f"{part}.txt"
        # A copy of the repository runs its own code, whatever is installed.
        paths = [str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", MODULE, str(part), str(parts), str(self._written)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )

    def lines(self, until: float) -> Iterator[dict[str, Any]]:
        """What it wrote; the last tells where it stopped, if it did not come to its end."""
        try:
            self._process.wait(max(0.0, until - time.monotonic()))
            end = f"it ended with exit code {self._process.returncode}"
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(60)
            end = "it was stopped, as it took too long"
        text = self._written.read_text(encoding="utf-8") if self._written.exists() else ""
        found = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        yield from found
        if not any("ended" in line for line in found):
            file, line, name = next(
                (one["begun"] for one in reversed(found) if "begun" in one), (RUN, 1, "nothing")
            )
            said = self._said.read_text(encoding="utf-8", errors="replace").split("\n")
            last = next((one.strip() for one in reversed(said) if one.strip()), "")
            what = f"the run did not come to its end: {end} while it ran {name}; it said {last!r}"
            yield {"broken": [{"file": file, "line": line, "what": what}]}


def _proof(values: dict[str, Any]) -> Proof:
    return Proof(**{**values, "clauses": tuple(values["clauses"]), "read": frozenset(values["read"])})


def _exempt() -> tuple[tuple[Exempt, ...], list[Broken]]:
    """The declared exemptions; their lines are those of the calls that make them."""
    from tools.contractdocs.evidence.model import broken_by

    try:
        from tests.contract._exemptions import EXEMPTIONS as declared
    except Exception as error:
        return (), [broken_by(error, ROOT / EXEMPTIONS, "cannot be imported")]
    tree = ast.parse((ROOT / EXEMPTIONS).read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    lines = [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Exemption"]
    return tuple(
        Exempt(one.clause.id, one.surface.value, one.drivers, one.kinds, one.reason, EXEMPTIONS, line)
        for one, line in zip(declared, lines, strict=True)
    ), []
