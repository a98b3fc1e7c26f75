"""What the last release promised: committed by ``make release``, compared with by the check."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from tools.contractdocs.project import Project

FOLDER = "tools/baseline/"
Version = tuple[int, int, int]


@dataclass(frozen=True)
class ReleasedClause:
    """A clause as it was released.

    Attributes:
        since: its version.
        stability: its level.
        surfaces: sorted.
        statement: as it read.
        revised: the version that had last changed the statement; "" for none.
        removal: when it was to go; "" where it was not deprecated.
    """

    since: str
    stability: str
    surfaces: tuple[str, ...]
    statement: str
    revised: str = ""
    removal: str = ""


@dataclass(frozen=True)
class ReleasedSymbol:
    """A public name as it was released."""

    kind: str
    signature: str
    level: str
    since: str
    deprecated: str = ""


@dataclass(frozen=True)
class Baseline:
    """A release.

    Attributes:
        version: its version.
        clauses: by id.
        retired: ids that were released once and are gone: id, and the version that no longer had it.
        symbols: by public path.
        limits: numbers that no signature shows, by the name of their value.
        intact: whether the file is as it was written.
    """

    version: str
    clauses: Mapping[str, ReleasedClause]
    retired: Mapping[str, str] = field(default_factory=dict[str, str])
    symbols: Mapping[str, ReleasedSymbol] = field(default_factory=dict[str, ReleasedSymbol])
    limits: Mapping[str, str] = field(default_factory=dict[str, str])
    intact: bool = True

    @property
    def file(self) -> str:
        """Where it is kept."""
        return f"{FOLDER}{self.version}.json"


def parsed(version: str) -> Version:
    """A version as numbers.

    Raises:
        ValueError: it is not three numbers with dots between them.
    """
    match = re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", version)
    if match is None:
        raise ValueError(f"{version!r} is no version: it is three numbers, such as 0.2.0")
    return int(match[1]), int(match[2]), int(match[3])


def load(files: Mapping[str, str]) -> Baseline | None:
    """The newest release; ``None`` before the first."""
    releases = (name.removeprefix(FOLDER).removesuffix(".json") for name in files if name.startswith(FOLDER))
    newest = max(releases, key=parsed, default=None)
    if newest is None:
        return None
    data: dict[str, Any] = json.loads(files[f"{FOLDER}{newest}.json"])
    digest = data.pop("digest", "")
    return TypeAdapter(Baseline).validate_python({**data, "intact": digest == _digest(data)})


def baseline_of(project: Project, version: str, limits: Mapping[str, str]) -> Baseline:
    """What a project promises, as a release."""
    last = project.baseline
    clauses: dict[str, ReleasedClause] = {
        clause.id: ReleasedClause(
            since=clause.since,
            stability=clause.stability,
            surfaces=tuple(sorted(surface.value for surface in clause.surfaces)),
            statement=clause.statement,
            revised=clause.revised or "",
            removal=clause.deprecation.removal if clause.deprecation else "",
        )
        for clause in project.clauses
    }
    retired = (
        {**last.retired, **{name: version for name in last.clauses if name not in clauses}} if last else {}
    )
    symbols = {
        path: ReleasedSymbol(one.kind, one.signature, one.level, one.since, one.deprecated)
        for path, one in project.api.symbols.items()
    }
    return Baseline(version, clauses, retired, symbols, limits)


def written(baseline: Baseline) -> str:
    """The text of a baseline's file."""
    data = asdict(baseline)
    del data["intact"]
    data["digest"] = _digest(data)
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _digest(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
