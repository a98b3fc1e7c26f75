"""Pieces of Markdown that several pages are made of."""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LAYOUT: dict[str, Any] = tomllib.loads((HERE / "layout.toml").read_text(encoding="utf-8"))
"""How pages are laid out, and what they call things."""

NOTE = "<!-- Generated from the code by `make docs`. Edit the code. -->"


def words_of(name: str) -> str:
    """What people wrote for a generated page."""
    return (HERE / "texts" / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def page(title: str, description: str, parts: Iterable[str], *, wide: bool = False) -> str:
    """A generated page.

    Args:
        title: its heading.
        description: what a reader finds on it, in one sentence.
        parts: its blocks, without blank lines between them.
        wide: it needs the room of the table of contents.
    """
    hide = "\nhide: [toc]" if wide else ""
    head = f"---\ndescription: {description}{hide}\n---\n\n{NOTE}\n\n# {title}\n"
    return "\n".join([head, *(f"{part}\n" for part in parts if part)])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown on one line."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def items(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def badge(level: str, since: str) -> str:
    """A level, and the version that it holds since."""
    return f'<span class="ft-badge ft-{level}">{level}</span> since {since}'


def link(text: str, target: str, page_path: str) -> str:
    """A link to a file of docs/, from a page of docs/; both paths are from docs/."""
    file, hash_mark, anchor = target.partition("#")
    relative = posixpath.relpath(file, posixpath.dirname(page_path) or ".")
    if hash_mark and file == page_path:
        relative = ""
    return f"[{text}]({relative}{hash_mark}{anchor})"
