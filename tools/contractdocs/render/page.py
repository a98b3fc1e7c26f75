"""Pieces of Markdown that several pages are made of."""

from __future__ import annotations

import ast
import posixpath
import tomllib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.contractdocs.modules import PUBLIC_MODULES

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


def reference_page(path: str) -> str | None:
    """The page, from docs/, that documents a public name; ``None`` for one that is not public."""
    homes = [module for module in PUBLIC_MODULES if path.startswith(f"{module}.")]
    return module_page(max(homes, key=len)) if homes else None


def module_page(module: str) -> str:
    """The page, from docs/, of a public module."""
    return f"reference/{module.rpartition('.')[2]}.md"


@lru_cache(maxsize=512)
def parse(text: str) -> ast.Module:
    """The syntax tree of a file's text. It is shared: do not change it."""
    return ast.parse(text)
