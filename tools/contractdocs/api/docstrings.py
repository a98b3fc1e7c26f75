"""What a docstring in Google style says of parameters, fields and exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import griffe


@dataclass(frozen=True)
class Entries:
    """The entries of a docstring's sections, on one line each.

    Attributes:
        arguments: of ``Args:``, by name; ``*args`` has its star.
        attributes: of ``Attributes:``, by name.
        raises: of ``Raises:``, by the exception's name.
        prose: everything else but the generated ``Contract:``.
    """

    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    raises: Mapping[str, str] = field(default_factory=dict[str, str])
    prose: str = ""


@lru_cache(maxsize=4096)
def entries(docstring: str) -> Entries:
    """Read a docstring."""
    arguments: dict[str, str] = {}
    attributes: dict[str, str] = {}
    raises: dict[str, str] = {}
    prose: list[str] = []
    for section in griffe.Docstring(docstring).parse("google", warnings=False):
        match section:
            case griffe.DocstringSectionParameters():
                arguments.update({one.name: _line(one.description) for one in section.value})
            case griffe.DocstringSectionAttributes():
                attributes.update({one.name: _line(one.description) for one in section.value})
            case griffe.DocstringSectionRaises():
                raises.update({str(one.annotation): _line(one.description) for one in section.value})
            case griffe.DocstringSectionAdmonition(title="Contract"):
                pass
            case griffe.DocstringSectionAdmonition():
                prose.append(section.value.description)
            case griffe.DocstringSectionReturns() | griffe.DocstringSectionYields():
                prose += [one.description for one in section.value]
            case griffe.DocstringSectionText():
                prose.append(section.value)
            case _:
                pass
    return Entries(arguments, attributes, raises, "\n\n".join(prose))


def _line(text: str) -> str:
    return " ".join(text.split())
