"""Generated blocks and values in Markdown that people write.

A block stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, a value in a sentence between
``<!-- value: NAME -->`` and ``<!-- end -->``. What is not known, or not closed, is left as it is: the check
finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from tools.contractdocs.markdown import MARKED, without_code
from tools.contractdocs.project import Project
from tools.contractdocs.render.contract import clause_table
from tools.contractdocs.render.native_records import failures, records
from tools.contractdocs.render.page import words_of
from tools.contractdocs.render.pages import (
    bounds_table,
    layers_table,
    machine_of_the_run,
    profiles_table,
)
from tools.contractdocs.render.values import VALUES

Block = Callable[[Project], str]


BLOCKS: Final[dict[str, Block]] = {
    "clauses": clause_table,
    "coming-from": lambda project: words_of("coming-from"),
    "native-records": lambda project: records(),
    "performance-bounds": bounds_table,
    "performance-layers": layers_table,
    "performance-run": machine_of_the_run,
    "profiles": lambda project: profiles_table(),
    "tool-failures": lambda project: failures(),
}
"""What stands between the markers, by name."""

_MARKER = re.compile(r"<!--\s*(?:generated|value|end)\b.*?-->")
_SPAN = re.compile(r"`[^`\n]*`")


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
            spans = _SPAN.sub(lambda code: _blank(code[0]) if "<!--" in code[0] else code[0], text)
            left = MARKED.sub(
                lambda match: _blank(match[0]) if _is_known(match) else match[0], without_code(spans)
            )
            for marker in _MARKER.finditer(left):
                yield file, left.count("\n", 0, marker.start()) + 1, marker[0]


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
