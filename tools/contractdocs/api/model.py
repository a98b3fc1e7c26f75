"""What the API consists of, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple


class Parameter(NamedTuple):
    """A parameter: its name with its stars, as in a docstring; and its default, canonical, "" without one."""

    name: str
    default: str = ""


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
        overloads: the same for each overload, as written there.
        mentions: public paths that its signature mentions.
        differing: names that its marker's ``fields=`` gives markers to.
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
    overloads: tuple[tuple[Parameter, ...], ...] = ()
    mentions: frozenset[str] = frozenset()
    differing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]

    @property
    def parent(self) -> str:
        """The path of its class or module."""
        return self.path.rpartition(".")[0]


class Listing(NamedTuple):
    """A name in a public module's ``__all__``, the full name of its definition ("" for none), its place."""

    module: str
    name: str
    home: str
    file: str
    line: int


@dataclass(frozen=True)
class Api:
    """All public names.

    Attributes:
        symbols: by path, in canonical order.
        listings: every name in every ``__all__``, by public module.
    """

    symbols: Mapping[str, Symbol]
    listings: tuple[Listing, ...] = field(default=())

    @cached_property
    def members(self) -> Mapping[str, tuple[Symbol, ...]]:
        """The members of each class, by its path."""
        found: dict[str, list[Symbol]] = {}
        for symbol in self.symbols.values():
            if symbol.parent in self.symbols:
                found.setdefault(symbol.parent, []).append(symbol)
        return {path: tuple(symbols) for path, symbols in found.items()}
