"""Stands for the work of a process that runs a part: it sends what a test wants, and ends as it wants."""

from __future__ import annotations

import os
from typing import Any

from tools.contractdocs.evidence.model import Broken, Example, Proof

FILE = "tests/contract/test_x.py"
BROKEN = Broken("tests/contract/test_y.py", 1, "it is broken")


def proved(part: int) -> Proof:
    """Later parts come first in the file."""
    return Proof(("held-json",), "test_it", FILE, 9 - part, "run", "http", frozenset({"tokens"}), "passed")


def finish(part: int, parts: int, sender: Any) -> None:
    """Come to the end."""
    sender.send([BROKEN, proved(part), Example(f"docs/{part}.md", 1, "passed")])


def die(part: int, parts: int, sender: Any) -> None:
    """End without a word, in one part."""
    if part == 0:
        os._exit(3)
    finish(part, parts, sender)


def hang(part: int, parts: int, sender: Any) -> None:
    """Send nothing, and wait for what does not come."""
    os.read(os.pipe()[0], 1)
