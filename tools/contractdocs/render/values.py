"""Values that sentences of hand-written files show: ``<!-- value: NAME -->16<!-- end -->``.

Each is read from the code, so that a sentence cannot keep an old one; values.toml says where most are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.project import Project
from tools.contractdocs.render import public

Value = Callable[[Project], str]

WHERE: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("values.toml").read_text(encoding="utf-8")
)


def drivers(project: Project) -> tuple[str, ...]:
    """The names of every way to drive a turn."""
    names = ("chunk-drivers", "token-drivers", "http-drivers")
    return tuple(key for name in names for key in public.strings(project.files, *WHERE["strings"][name]))


def provider_kinds(project: Project) -> tuple[str, ...]:
    """The names of every kind of provider."""
    return public.strings(project.files, *WHERE["strings"]["provider-kinds"])


def surfaces(project: Project) -> tuple[str, ...]:
    """The surfaces that clauses speak of."""
    return public.members(project.files, *WHERE["enumerations"]["surfaces"])


def listed(items: Sequence[str], last: str, *, quoted: bool = False) -> str:
    """``a``, ``b`` and ``c``, as Markdown code."""
    codes = [f'`"{item}"`' if quoted else f"`{item}`" for item in items]
    return codes[0] if len(codes) == 1 else f"{', '.join(codes[:-1])} {last} {codes[-1]}"


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _project(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(project.files["pyproject.toml"])["project"]
    return found


def _read(read: Callable[..., Any], write: Callable[[Any], str], table: str) -> dict[str, Value]:
    """A value for each line of a table of values.toml: how it is read from the source, and written."""

    def value(where: list[str]) -> Value:
        return lambda project: write(read(project.files, *where))

    return {name: value(where) for name, where in WHERE[table].items()}


def _of_level(level: str) -> Value:
    return lambda project: str(sum(clause.stability == level for clause in project.clauses))


VALUES: dict[str, Value] = {
    "clauses": lambda project: str(len(project.clauses)),
    "stable-clauses": _of_level("stable"),
    "beta-clauses": _of_level("beta"),
    "families": lambda project: str(len({clause.family for clause in project.clauses})),
    "surface-count": lambda project: str(len(surfaces(project))),
    "drivers": lambda project: listed(drivers(project), "and"),
    "driver-count": lambda project: str(len(drivers(project))),
    "provider-kinds": lambda project: listed(provider_kinds(project), "and"),
    "provider-kind-count": lambda project: str(len(provider_kinds(project))),
    "rules": lambda project: str(len(project.table)),
    "python": lambda project: str(_project(project)["requires-python"]).removeprefix(">="),
    "version": lambda project: str(_project(project)["version"]),
    "licence": lambda project: str(_project(project)["license"]),
    "public-modules": lambda project: listed(PUBLIC_MODULES, "and"),
    **_read(public.constant, _number, "constants"),
    **_read(public.default, _number, "defaults"),
    **_read(public.literal, lambda words: listed(words, "or", quoted=True), "literals"),
    **_read(public.members, lambda words: listed(words, "and"), "enumerations"),
}
"""What stands in a sentence, by name. Lists are Markdown code; numbers are plain, times in seconds."""


def limits(project: Project) -> dict[str, str]:
    """Numbers that a release keeps, as they are."""
    return {name: VALUES[name](project) for name in WHERE["kept"]["limits"]}
