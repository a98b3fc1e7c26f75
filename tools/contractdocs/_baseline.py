"""What the last release promised: committed by ``make release``, compared with by the check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ReleasedClause:
    """A clause as it was released."""

    since: str
    stability: str
    surfaces: tuple[str, ...]
    statement: str


@dataclass(frozen=True)
class ReleasedSymbol:
    """A public name as it was released."""

    kind: str
    signature: str
    level: str
    since: str


@dataclass(frozen=True)
class Baseline:
    """A release.

    Attributes:
        version: its version.
        clauses: by id.
        retired: ids that were released once and are gone: id, and the version that no longer had it.
        symbols: by public path.
    """

    version: str
    clauses: Mapping[str, ReleasedClause]
    retired: Mapping[str, str] = field(default_factory=dict[str, str])
    symbols: Mapping[str, ReleasedSymbol] = field(default_factory=dict[str, ReleasedSymbol])
