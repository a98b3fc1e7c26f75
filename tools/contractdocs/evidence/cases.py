"""The tests of the contract as cases that are called directly, without pytest's machinery."""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tools.contractdocs.evidence.model import Broken, broken_by, relative
from tools.contractdocs.findings import ROOT

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
    """Every case of every test, and what cannot be read.

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
        for name, thing in vars(module).items():
            if name.startswith("test") and getattr(thing, "__module__", None) == module.__name__:
                found += _cases(thing, relative(path), module)
    return found, list(dict.fromkeys(broken))


def _cases(test: Any, file: str, module: ModuleType) -> Iterator[Case]:
    # Imported here: what is wrong with it is wrong with every test, and told as such.
    from tests.contract._proves import PROOFS

    clauses = tuple(clause for clause, tests in PROOFS.items() if test in tests)
    whole = getattr(module, "pytestmark", [])
    marks = [*getattr(test, "pytestmark", []), *(whole if isinstance(whole, list) else [whole])]
    axes = [_axis(mark) for mark in marks if mark.name == "parametrize"]
    source, start = inspect.getsourcelines(inspect.unwrap(test))
    line = start + next(at for at, text in enumerate(source) if re.match(r"(?:async )?def ", text))
    for choice in itertools.product(*axes):
        values = {name: value for chosen, _ in choice for name, value in chosen.items()}
        every = [*marks, *(mark for _, more in choice for mark in more)]
        # Whatever their conditions: a proof that may be skipped is none.
        skip = next((f"it is marked {mark.name}" for mark in every if mark.name in SKIPS), None)
        yield Case(test, file, line, clauses, values, skip, _fault(test, values))


def _axis(mark: Any) -> list[tuple[dict[str, Any], list[Any]]]:
    """The choices of one ``parametrize``: names and values, and the marks that come with them."""
    names, values = mark.args
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    found: list[tuple[dict[str, Any], list[Any]]] = []
    for value in values:
        marks = list(value.marks) if hasattr(value, "marks") else []  # that of a pytest.param
        given = value.values if hasattr(value, "marks") else (value,) if len(keys) == 1 else value
        found.append((dict(zip(keys, given, strict=True)), marks))
    return found


def _fault(test: Any, values: Mapping[str, Any]) -> str | None:
    """Why a test needs pytest itself."""
    if inspect.iscoroutinefunction(test):
        return "it is asynchronous; a play drives its own event loop"
    fixtures = (name for name in inspect.signature(test).parameters if name not in values)
    return next((f"it needs pytest's fixture {name}" for name in fixtures), None)
