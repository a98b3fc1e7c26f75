"""The public names, read from the source files without running them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Symbol:
    """A public name: of a module, or of a class that is public.

    Attributes:
        path: its one public name, such as ``finalturn.Agent.run``.
        kind: class, function, method, property, field, member, constant or alias.
        signature: as the API report shows it, canonical, on one line for each overload.
        level: ``stable`` or ``beta``; "" without a marker.
        since: the version it is public since; "" without a marker.
        deprecated: the message of PEP 702's decorator; "" without one.
        docstring: as written, dedented.
        file: where it is defined, from the root.
        line: its first line.
    """

    path: str
    kind: str
    signature: str
    level: str
    since: str
    deprecated: str
    docstring: str
    file: str
    line: int


@dataclass(frozen=True)
class Api:
    """All public names.

    Attributes:
        symbols: by path, in canonical order.
    """

    symbols: Mapping[str, Symbol]


def extract(files: Mapping[str, str]) -> Api:
    """Read the public names out of the source files, by path from the root."""
    return Api({})
