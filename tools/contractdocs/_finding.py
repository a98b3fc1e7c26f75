"""What a check finds, and the kinds of drift as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.contractdocs._project import Project


@dataclass(frozen=True)
class Place:
    """Where something was found.

    Attributes:
        file: the path from the root of the repository.
        line: 1-based; ``None`` where the whole file is meant.
        values: what the kind's templates are filled with.
    """

    file: str
    line: int | None = None
    values: Mapping[str, object] = field(default_factory=dict[str, object])


def at(file: str, line: int | None = None, **values: object) -> Place:
    """Where something was found, and what to say of it."""
    return Place(file, line, values)


Find = Callable[["Project"], Iterator[Place]]


@dataclass(frozen=True)
class Kind:
    """A kind of drift.

    Attributes:
        code: permanent; ``FT`` and two characters, of which the first names the group.
        name: kebab-case.
        what: what is wrong, with both values; a template for ``str.format``.
        remedy: what to do about it; a template too.
        why: what goes wrong for someone when it goes unseen: Markdown, for its page.
        find: finds it in a project.
    """

    code: str
    name: str
    what: str
    remedy: str
    why: str
    find: Find

    def findings(self, project: Project) -> Iterator[str]:
        """One line for each place, as a person sees it."""
        for place in self.find(project):
            where = place.file if place.line is None else f"{place.file}:{place.line}"
            what, remedy = (text.format_map(dict(place.values)) for text in (self.what, self.remedy))
            yield f"{where} {self.code} {self.name}: {what} -> {remedy}"
