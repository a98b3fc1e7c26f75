"""The tests of the contract as cases that are called directly, without pytest's machinery."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tools.contractdocs.evidence.model import Broken, broken_by
from tools.contractdocs.findings import ROOT, relative

PACKAGE = "tests.contract"
SKIPS = ("skip", "skipif", "xfail")


@dataclass(frozen=True)
class Case:
    """One test with one choice of its parameters.

    Attributes:
        test: the function.
        file: where it is, from the root.
        line: of its ``def``.
        clauses: the ids that it proves.
        values: its parameters.
        skip: why it is not run; ``None`` when it is.
        fault: why it cannot be run; ``None`` when it can.
    """

    test: Any
    file: str
    line: int
    clauses: tuple[str, ...]
    values: Mapping[str, Any]
    skip: str | None = None
    fault: str | None = None

    @property
    def driver(self) -> str:
        """How the turn is driven; "" for a test that plays none."""
        return str(getattr(self.values.get("play"), "driver", ""))

    @property
    def kind(self) -> str:
        """Of provider."""
        return str(getattr(self.values.get("play"), "kind", ""))


def collect(root: Path = ROOT, package: str = PACKAGE) -> tuple[list[Case], list[Broken]]:
    """Every case of every test that proves a clause, and what cannot be read.

    Args:
        root: the folder that the package is in.
        package: the one that holds the tests.
    """
    found: list[Case] = []
    broken: list[Broken] = []
    for path in sorted((root / package.replace(".", "/")).glob("test_*.py")):
        try:
            module = importlib.import_module(f"{package}.{path.stem}")
        except (Exception, pytest.skip.Exception) as error:
            broken.append(broken_by(error, path, "cannot be imported"))
            continue
        for thing in vars(module).values():
            if getattr(thing, "__module__", None) == module.__name__:
                found += _cases(thing, relative(path), module)
    return found, list(dict.fromkeys(broken))


def _cases(test: Any, file: str, module: ModuleType) -> Iterator[Case]:
    # Imported here: what is wrong with it is wrong with every test, and told as such.
    from tests.contract._proves import PROOFS

    clauses = tuple(clause for clause, tests in PROOFS.items() if test in tests)
    if not clauses:
        return
    whole = getattr(module, "pytestmark", [])
    marks = [*test.pytestmark, *(whole if isinstance(whole, list) else [whole])]
    source, start = inspect.getsourcelines(test)
    line = start + next(at for at, text in enumerate(source) if re.match(r"(?:async )?def ", text))
    # `proves` puts all parameters that stand below it into one mark.
    names, choices = next(mark.args for mark in marks if mark.name == "parametrize")
    lacks = [name for name in inspect.signature(test).parameters if name not in names]
    fault = f"it needs pytest's fixture {lacks[0]}" if lacks else None
    if inspect.iscoroutinefunction(test):
        fault = "it is asynchronous; a play drives its own event loop"
    for choice in choices:
        # Whatever their conditions: a proof that may be skipped is none.
        skip = next(
            (f"it is marked {mark.name}" for mark in (*marks, *choice.marks) if mark.name in SKIPS), None
        )
        yield Case(test, file, line, clauses, dict(zip(names, choice.values, strict=True)), skip, fault)
