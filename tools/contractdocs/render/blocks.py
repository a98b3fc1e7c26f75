"""Generated blocks and values in Markdown that people write.

A block stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, a value in a sentence between
``<!-- value: NAME -->`` and ``<!-- end -->``. What is not known, or not closed, is left as it is: the check
finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from tools.contractdocs.markdown import MARKED, read, without_code
from tools.contractdocs.project import Project
from tools.contractdocs.render.contract import clause_table
from tools.contractdocs.render.native_records import failures, records
from tools.contractdocs.render.page import filled_in
from tools.contractdocs.render.pages import performance, profiles_table
from tools.contractdocs.render.values import VALUES

Block = Callable[[Project], str]


BLOCKS: Final[dict[str, Block]] = {
    "clauses": clause_table,
    "coming-from": lambda project: filled_in("coming-from.md").strip(),
    "native-records": lambda project: records(),
    "performance-bounds": performance("_bounds.md"),
    "performance-layers": performance("_layers.md"),
    "performance-run": performance("_machine_of_the_run.md"),
    "profiles": lambda project: profiles_table(),
    "tool-failures": lambda project: failures(),
}
"""What stands between the markers, by name."""


def filled(text: str, project: Project) -> str:
    """A hand-written document with its blocks and values as they should be."""
    parts: list[str] = []
    at = 0
    for match in MARKED.finditer(without_code(text)):
        parts += [text[at : match.start()], _filling(match, project) or text[match.start() : match.end()]]
        at = match.end()
    return "".join([*parts, text[at:]])


def _filling(match: re.Match[str], project: Project) -> str | None:
    """What a block or value is with its markers; ``None`` for one that is not known."""
    if not _is_known(match):
        return None
    if match["what"] == "value":
        return f"{match['open']}{VALUES[match['name']](project)}{match['close']}"
    return f"{match['open']}\n\n{BLOCKS[match['name']](project)}\n\n{match['close']}"


def _is_known(match: re.Match[str]) -> bool:
    return match["name"] in (VALUES if match["what"] == "value" else BLOCKS)


def unknown_markers(project: Project) -> Iterator[tuple[str, int, str]]:
    """Markers of documents that nothing fills: file, line and the marker."""
    for file, text in project.files.items():
        if file.endswith(".md"):
            for match in MARKED.finditer(without_code(text)):
                if not _is_known(match):
                    yield file, text.count("\n", 0, match.start()) + 1, match["open"]
            for line, comment in read(text).comments:  # those of blocks and values are not among them
                if re.match(r"(?:generated|value|end)\b", comment):
                    yield file, line, f"<!-- {comment} -->"
