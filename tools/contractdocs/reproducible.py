"""Renders again, in processes with another hash seed and time zone."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping

from tools.contractdocs.findings import ROOT
from tools.contractdocs.project import Project, read_files

ENVIRONMENTS: tuple[Mapping[str, str], ...] = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "America/Los_Angeles", "LC_ALL": "C.UTF-8"},
)
"""Two that differ in everything that has made generated files differ elsewhere."""


def digests() -> dict[str, str]:
    """A digest of each generated file, as this process renders it."""
    from tools.contractdocs.render import render

    rendered = render(Project(read_files()))
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in rendered.items()}


LIMIT = 600.0
"""Seconds for a render, on however busy a machine."""


class RenderingError(Exception):
    """A render in another process failed. The text is what it says of that."""


class Rerun:
    """A render in another process, under way."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.contractdocs", "digests"],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def digests(self) -> dict[str, str]:
        """Wait for it.

        Raises:
            RenderingError: it failed; its text is a finding.
        """
        try:
            out, problems = self._process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise RenderingError(f"a render was stopped after {LIMIT:.0f} seconds") from None
        if self._process.returncode:
            raise RenderingError((out.strip() or problems.strip()).splitlines()[-1])
        pairs = (line.split(" ", 1) for line in out.splitlines())
        return {name: digest for digest, name in pairs}
