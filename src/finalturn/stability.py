"""How long a public name keeps its meaning: ``@stable(since=...)`` and ``@beta(since=...)``.

Every public name carries one of the two. A *stable* name is kept, with its meaning, until a major release
(Semantic Versioning 2.0.0); a *beta* one may change in a minor release, with a line in the changelog.

```python
from dataclasses import dataclass
from typing import Literal, TypeAlias

from finalturn.stability import beta, stable


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

A class or function that will go away is marked with the standard decorator (PEP 702) as well. Editors and
type checkers show its message, and calling it warns. The message is a literal that names three things: the
version that said so, what to use instead, and the version of removal, a later major one.

```python
from typing_extensions import deprecated

from finalturn.stability import stable


@stable(since="0.1.0")
@deprecated("deprecated in 1.2.0: use read_all(); removed in 2.0.0")
def read() -> str:
    return "all"
```

``deprecated`` is in ``warnings`` from Python 3.13, and in ``typing_extensions``, which pydantic brings along,
before that.
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

_DEFINED_AS: dict[str, str] = {}
"""The full name under which something is written, by the public name that it says of itself."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A level and the version that it holds since. Use it as a decorator, or through `constant`.

    Attributes:
        level: how long the name is kept.
        since: the version that first had it, such as ``"0.1.0"``, or `NEXT`.
        fields: the markers of fields, parameters and methods that differ from this one, by name.
    """

    level: Level
    since: str
    fields: Mapping[str, Marker] = field(default_factory=lambda: MappingProxyType({}))

    def __call__(self, target: T) -> T:
        """Mark a class or a function.

        Args:
            target: the class or function. It is not changed.

        Returns:
            The very same object.
        """
        module, name = getattr(target, "__module__", ""), getattr(target, "__qualname__", "")
        _MARKERS[f"{module}.{name}"] = self
        return target

    def constant(self, module: str, name: str) -> None:
        """Mark a constant or a type alias, which cannot be decorated.

        Args:
            module: the full name of the module that defines it: ``__name__``.
            name: what it is called there.
        """
        _MARKERS[f"{module}.{name}"] = self


def stable(*, since: str, fields: Mapping[str, Marker] | None = None) -> Marker:
    """The marker of a name that is kept until a major release.

    Args:
        since: the version that first had the name, such as ``"0.1.0"``, or `NEXT`.
        fields: the markers of its fields, parameters and methods that differ from its own, by name.
    """
    return Marker("stable", since, MappingProxyType(dict(fields or {})))


def beta(*, since: str, fields: Mapping[str, Marker] | None = None) -> Marker:
    """The marker of a name that may change in a minor release.

    Args:
        since: the version that first had the name, such as ``"0.1.0"``, or `NEXT`.
        fields: the markers of its fields, parameters and methods that differ from its own, by name.
    """
    return Marker("beta", since, MappingProxyType(dict(fields or {})))


def marker_of(target: object) -> Marker | None:
    """The marker of a class or a function; ``None`` when it has none. A subclass does not inherit one.

    Args:
        target: the class or function.
    """
    name = f"{getattr(target, '__module__', '')}.{getattr(target, '__qualname__', '')}"
    return _MARKERS.get(_DEFINED_AS.get(name, name))


def markers() -> Mapping[str, Marker]:
    """Every marker so far, by the full name of where the thing is defined. It cannot be written to."""
    return MappingProxyType(_MARKERS)


stable(since="0.1.0")(Marker)
stable(since="0.1.0")(beta)
stable(since="0.1.0")(marker_of)
stable(since="0.1.0")(markers)
stable(since="0.1.0")(stable)
stable(since="0.1.0").constant(__name__, "Level")
stable(since="0.1.0").constant(__name__, "NEXT")
