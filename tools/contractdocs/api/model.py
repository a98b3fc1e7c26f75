"""What the API consists of, as values; and what a docstring says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import griffe


class Parameter(NamedTuple):
    """A parameter: its name with its stars, as in a docstring; and its default, canonical, "" without one."""

    name: str
    default: str


@dataclass(frozen=True)
class Symbol:
    """A public name: of a module, or of a class that is public.

    Attributes:
        path: its one public name, such as ``finalturn.Agent.run``.
        kind: class, function, method, property, field, member (of an enumeration), constant, alias, or
            parameter (one whose level differs from its function's).
        signature: as the API report shows it, canonical, on one line for each overload.
        level: ``stable`` or ``beta``; "" without a marker.
        since: the version it is public since; "" without a marker.
        deprecated: the message of PEP 702's decorator; "" without one.
        docstring: as written, dedented; of a field, what its class's docstring says of it.
        file: where it is defined, from the root.
        line: its first line.
        home: the full name of its definition, such as ``finalturn._core.chunks.StreamChunk``.
        parameters: of a function, or of a class's constructor; private ones and ``self`` are left out.
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
    home: str = ""
    parameters: tuple[Parameter, ...] = ()

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]

    @property
    def overloads(self) -> bool:
        """Whether a class's constructor has several signatures, which stand below its own line."""
        return self.signature.count("\n") > 1

    @property
    def parent(self) -> str:
        """The path of its class or module."""
        return self.path.rpartition(".")[0]


class Listing(NamedTuple):
    """A name in a public module's ``__all__``, and the full name of its definition."""

    module: str
    name: str
    home: str


@dataclass(frozen=True)
class Api:
    """All public names.

    Attributes:
        symbols: by path, in canonical order.
        listings: every name in every ``__all__``, by public module.
    """

    symbols: Mapping[str, Symbol]
    listings: tuple[Listing, ...] = ()

    @cached_property
    def members(self) -> Mapping[str, tuple[Symbol, ...]]:
        """The members of each class, by its path."""
        found: dict[str, list[Symbol]] = {}
        for symbol in self.symbols.values():
            if symbol.parent in self.symbols:
                found.setdefault(symbol.parent, []).append(symbol)
        return {path: tuple(symbols) for path, symbols in found.items()}


@lru_cache(maxsize=4096)
def entries(docstring: str, section: str) -> Mapping[str, str]:
    """The entries of one section of a docstring in Google style, by name, each on one line.

    Args:
        docstring: the whole.
        section: ``parameters``, ``attributes`` or ``raises``.
    """
    found: dict[str, str] = {}
    for part in griffe.Docstring(docstring).parse("google", warnings=False):
        for entry in part.value if part.kind.value == section else ():
            name = entry.annotation if section == "raises" else entry.name
            found[str(name)] = " ".join(entry.description.split())
    return found
