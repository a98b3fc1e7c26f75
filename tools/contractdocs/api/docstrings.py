"""What a docstring in Google style says of parameters, fields and exceptions."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import griffe


class Entries(NamedTuple):
    """The entries of a docstring's ``Args:``, ``Attributes:`` and ``Raises:``, by name, on one line each."""

    arguments: dict[str, str]
    attributes: dict[str, str]
    raises: dict[str, str]


@lru_cache(maxsize=4096)
def entries(docstring: str) -> Entries:
    """Read a docstring."""
    found = Entries({}, {}, {})
    for section in griffe.Docstring(docstring).parse("google", warnings=False):
        match section:
            case griffe.DocstringSectionParameters():
                found.arguments.update({one.name: _line(one.description) for one in section.value})
            case griffe.DocstringSectionAttributes():
                found.attributes.update({one.name: _line(one.description) for one in section.value})
            case griffe.DocstringSectionRaises():
                found.raises.update({str(one.annotation): _line(one.description) for one in section.value})
            case _:
                pass
    return found


def _line(text: str) -> str:
    return " ".join(text.split())
