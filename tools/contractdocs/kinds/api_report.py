"""The committed API report against the code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tools.contractdocs._api_report import MEANING, PATH, blocks, report
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project


def _stale(project: Project) -> Iterator[Place]:
    if PATH not in project.files:
        yield at(PATH, what="there is no API report")
        return
    before, after = _signatures(project.files[PATH]), _signatures(report(project.api))
    symbols = project.api.symbols
    for path in [*after, *(path for path in before if path not in after)]:
        line, old = before.get(path, (None, ""))
        _, new = after.get(path, (None, ""))
        code = f"{symbols[path].file}:{symbols[path].line}" if path in symbols else ""
        if not old:
            yield at(PATH, what=f"it lacks `{_flat(new)}`, which {code} makes public")
        elif not new:
            yield at(PATH, line, what=f"it has `{_flat(old)}`, which is public no more")
        elif old != new:
            said, found = _difference(old.splitlines(), new.splitlines())
            yield at(PATH, line, what=f"of `{path}` it says `{said}`; {code} says `{found}`")


def _signatures(text: str) -> Mapping[str, tuple[int, str]]:
    """The blocks of a report without what the names mean: that changes nothing which a user can name."""
    return {
        path: (line, "\n".join(one for one in block.splitlines() if not one.startswith(MEANING)))
        for path, (line, block) in blocks(text).items()
    }


def _difference(old: list[str], new: list[str]) -> tuple[str, str]:
    """What only one of them says; both as a whole, where that would be nothing."""
    said, found = _only(old, new), _only(new, old)
    return (said, found) if said and found else (_only(old, []), _only(new, []))


def _only(these: list[str], those: list[str]) -> str:
    """The lines that are in one alone; those of several overloads once."""
    return " ".join(dict.fromkeys(line.strip() for line in these if line not in those))


def _flat(block: str) -> str:
    return " ".join(line.strip() for line in block.splitlines())


KINDS = (
    Kind(
        code="FT40",
        name="report-stale",
        what="{what}",
        remedy="run make docs, and review the change of the API that it shows",
        why=(
            "The report is the one page on which a reviewer sees every change of what users can name: a"
            " parameter that lost its default, a method that went away, a level that fell. A change that it"
            " does not show is one that nobody decided."
        ),
        find=_stale,
    ),
)
