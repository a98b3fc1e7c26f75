"""Survivors that are excused, each with a reason."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping

FILE = "tools/mutants/equivalent.toml"


def read_excuses(text: str) -> Mapping[str, str]:
    """Reasons by the name of a mutant. In a name, ``*`` at the end stands for anything.

    Raises:
        ValueError: a reason is missing.
    """
    found: dict[str, str] = {}
    for excuses in tomllib.loads(text).values():
        for name, reason in excuses.items():
            if not isinstance(reason, str) or not reason.strip():
                raise ValueError(f'{FILE}: "{name}" needs a reason')
            found[name] = reason
    return found


def excuse_of(name: str, excuses: Iterable[str]) -> str | None:
    """The excuse that a mutant has."""
    return next((excuse for excuse in excuses if _fits(name, excuse)), None)


def line_of(excuse: str, text: str) -> int:
    """The line on which an excuse stands."""
    lines = text.splitlines()
    return next(
        (number for number, line in enumerate(lines, 1) if line.startswith((f'"{excuse}"', f"'{excuse}'"))), 1
    )


def _fits(name: str, excuse: str) -> bool:
    return name.startswith(excuse[:-1]) if excuse.endswith("*") else name == excuse
