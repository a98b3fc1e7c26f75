"""Survivors that are excused, each with a reason."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from re import escape, fullmatch

FILE = "tools/mutants/equivalent.toml"


def read_excuses(text: str) -> Mapping[str, str]:
    """Reasons by the name of a mutant. In a name, ``*`` stands for anything.

    Raises:
        ValueError: a reason is missing.
    """
    found: dict[str, str] = {}
    for excuses in tomllib.loads(text).values():
        for name, reason in excuses.items():
            if not isinstance(reason, str) or not reason.strip():
                raise ValueError(f'{FILE}:{line_of(name, text)} MUTANTS "{name}" has no reason -> give one')
            found[name] = reason
    return found


def excuse_of(name: str, excuses: Iterable[str]) -> str | None:
    """The excuse that a mutant has."""
    return next((excuse for excuse in excuses if _fits(name, excuse)), None)


def line_of(excuse: str, text: str) -> int:
    """The line on which an excuse stands."""
    key = json.dumps(excuse, ensure_ascii=False)
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.startswith(key)), 1)


def _fits(name: str, excuse: str) -> bool:
    return fullmatch(".*".join(map(escape, excuse.split("*"))), name) is not None
