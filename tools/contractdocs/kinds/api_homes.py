"""Where a public name lives: in one module, and really there."""

from __future__ import annotations

from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project


def _two_homes(project: Project) -> Iterator[Place]:
    first: dict[str, str] = {}
    for listing in project.api.listings:
        path = f"{listing.module}.{listing.name}"
        if listing.home and first.setdefault(listing.home, path) != path:
            yield at(listing.file, listing.line, path=path, other=first[listing.home])


def _nowhere(project: Project) -> Iterator[Place]:
    for listing in project.api.listings:
        if not listing.home:
            yield at(listing.file, listing.line, name=listing.name, module=listing.module)


def _twice(project: Project) -> Iterator[Place]:
    seen: set[tuple[str, str]] = set()
    for listing in project.api.listings:
        if (listing.module, listing.name) in seen:
            yield at(listing.file, listing.line, name=listing.name, module=listing.module)
        seen.add((listing.module, listing.name))


KINDS = (
    Kind(
        code="FT42",
        name="two-homes",
        what="{path} is public as {other} too",
        remedy="keep it in the __all__ of one of the two modules",
        why=(
            "A name with two homes has two pages, two spellings in examples, and two places to break. Users"
            " ask which is the right one, and each answer is wrong for somebody."
        ),
        find=_two_homes,
    ),
    Kind(
        code="FT4D",
        name="name-nowhere",
        what="__all__ of {module} lists {name!r}, which the module does not have",
        remedy="define or import it there, or take it out of __all__",
        why="The documents would lack a name that is promised, and `from module import *` fails on it.",
        find=_nowhere,
    ),
    Kind(
        code="FT4F",
        name="listed-twice",
        what="__all__ of {module} lists {name!r} twice",
        remedy="delete one of the two",
        why="When one of the two is taken out, the name is still public, and nobody meant it to be.",
        find=_twice,
    ),
)
