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
        mentions: public paths that its signature mentions.
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
    mentions: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]

    @property
    def parent(self) -> str:
        """The path of its class or module."""
        return self.path.rpartition(".")[0]


@dataclass(frozen=True)
class Api:
    """All public names.

    Attributes:
        symbols: by path, in canonical order.
        homes: the full name of the definition of what is in each ``__all__``, by public path.
    """

    symbols: Mapping[str, Symbol]
    homes: Mapping[str, str]

    @cached_property
    def members(self) -> Mapping[str, tuple[Symbol, ...]]:
        """The members of each class, by its path."""
        found: dict[str, list[Symbol]] = {}
        for symbol in self.symbols.values():
            if symbol.parent in self.symbols:
                found.setdefault(symbol.parent, []).append(symbol)
        return {path: tuple(symbols) for path, symbols in found.items()}


class Entries(NamedTuple):
    """The entries of a docstring's ``Args:``, ``Attributes:`` and ``Raises:``, by name, on one line each."""

    arguments: dict[str, str]
    attributes: dict[str, str]
    raises: dict[str, str]


@lru_cache(maxsize=4096)
def entries(docstring: str) -> Entries:
    """Read a docstring in Google style."""
    found = Entries({}, {}, {})
    for section in griffe.Docstring(docstring).parse("google", warnings=False):
        match section:
            case griffe.DocstringSectionParameters():
                found.arguments.update({one.name: one.description for one in section.value})
            case griffe.DocstringSectionAttributes():
                found.attributes.update({one.name: one.description for one in section.value})
            case griffe.DocstringSectionRaises():
                found.raises.update({str(one.annotation): one.description for one in section.value})
            case _:
                pass
    for descriptions in found:
        descriptions.update({name: " ".join(text.split()) for name, text in descriptions.items()})
    return found
