"""How long a public name keeps its meaning: ``@stable(since=...)`` and ``@beta(since=...)``.

Every public name carries one of the two. A *stable* name is kept, with its meaning, until a major release;
a *beta* one may change in a minor release, with a line in the changelog. A name that will go away is marked
with ``typing_extensions.deprecated`` (PEP 702) as well, so that editors show it.

```python
@stable(since="0.1.0", fields={"hold_json": beta(since="0.1.0")})
@dataclass(frozen=True)
class Config:
    strict: bool = True
    hold_json: bool = False


Reason: TypeAlias = Literal["done", "cut"]
stable(since="0.1.0").constant(__name__, "Reason")
```

A marker is kept in a table of its own. The marked object is not touched: a Protocol gains no member, so
``isinstance`` goes on working for those who implement it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, TypeVar

__all__ = ["NEXT", "Level", "Marker", "beta", "marker_of", "markers", "stable"]

T = TypeVar("T")

Level: TypeAlias = Literal["stable", "beta"]
"""``"stable"`` is kept until a major release; ``"beta"`` may change in a minor one."""

NEXT: Final = "NEXT"
"""Stands for the version that the next release will have; ``make release`` fills it in."""

_MARKERS: dict[str, Marker] = {}


@dataclass(frozen=True, slots=True)
class Marker:
    """A level and the version that it holds since. Use it as a decorator, or through `constant`.

    Attributes:
        level: how long the name is kept.
        since: the version that first had it, such as ``"0.1.0"``, or `NEXT`.
        fields: the markers of fields, parameters and methods that differ from the class's own, by name.
    """

    level: Level
    since: str
    fields: Mapping[str, Marker] = field(default_factory=lambda: MappingProxyType({}))

    def __call__(self, target: T) -> T:
        """Mark a class or a function, and give it back as it is."""
        module, name = getattr(target, "__module__", ""), getattr(target, "__qualname__", "")
        _MARKERS[f"{module}.{name}"] = self
        return target

    def constant(self, module: str, name: str) -> None:
        """Mark a constant or a type alias, which cannot be decorated.

        Args:
            module: where it is defined: ``__name__``.
            name: what it is called there.
        """
        _MARKERS[f"{module}.{name}"] = self


def stable(*, since: str, fields: Mapping[str, Marker] | None = None) -> Marker:
    """The marker of a name that is kept until a major release.

    Args:
        since: the version that first had the name, or `NEXT`.
        fields: markers of its fields, parameters or methods that differ from it.
    """
    return Marker("stable", since, MappingProxyType(dict(fields or {})))


def beta(*, since: str, fields: Mapping[str, Marker] | None = None) -> Marker:
    """The marker of a name that may change in a minor release.

    Args:
        since: the version that first had the name, or `NEXT`.
        fields: markers of its fields, parameters or methods that differ from it.
    """
    return Marker("beta", since, MappingProxyType(dict(fields or {})))


def marker_of(target: object) -> Marker | None:
    """The marker of a class or a function; ``None`` when it has none."""
    return _MARKERS.get(f"{getattr(target, '__module__', '')}.{getattr(target, '__qualname__', '')}")


def markers() -> Mapping[str, Marker]:
    """Every marker so far, by the full name of where the thing is defined."""
    return MappingProxyType(_MARKERS)


for _name in ("Level", "NEXT"):
    stable(since=NEXT).constant(__name__, _name)
for _thing in (Marker, beta, marker_of, markers, stable):
    stable(since=NEXT)(_thing)
