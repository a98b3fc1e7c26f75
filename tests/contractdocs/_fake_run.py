"""Stands for the work of a process that runs a part: it sends what a test wants, and ends as it wants."""

from __future__ import annotations

import os
from typing import Any

from tools.contractdocs.evidence.model import Begun, Broken, Example, Proof

FILE = "tests/contract/test_x.py"
BROKEN = Broken("tests/contract/test_y.py", 1, "it is broken")


def proved(part: int) -> Proof:
    """Later parts come first in the file."""
    return Proof(("held-json",), "test_it", FILE, 9 - part, "run", "http", frozenset({"tokens"}), "passed")


def begin(part: int, parts: int, sender: Any) -> None:
    """Send some results, and no end."""
    begun = Begun(FILE, 3, "test_it[run-http]")
    for item in (BROKEN, begun, proved(part), Example(f"docs/{part}.md", 1, "passed")):
        sender.send(item)


def finish(part: int, parts: int, sender: Any) -> None:
    """Come to the end."""
    begin(part, parts, sender)
    sender.send(None)


def die(part: int, parts: int, sender: Any) -> None:
    """End in the middle."""
    begin(part, parts, sender)
    os._exit(3)


def hang(part: int, parts: int, sender: Any) -> None:
    """Send nothing, and wait for what does not come."""
    os.read(os.pipe()[0], 1)
