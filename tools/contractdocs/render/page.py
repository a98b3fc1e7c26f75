"""Pages and pieces of Markdown, from the templates."""

from __future__ import annotations

import ast
import json
import logging
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tools.contractdocs.modules import PUBLIC_MODULES

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
LAYOUT: dict[str, Any] = tomllib.loads((HERE / "layout.toml").read_text(encoding="utf-8"))
"""How pages are laid out, and what they call things."""


def filled_in(template: str, **values: object) -> str:
    """A template with its values."""
    return _ENVIRONMENT.get_template(template).render(values)


def page(template: str, title: str, description: str, *, wide: bool = False, **values: object) -> str:
    """A generated page.

    Args:
        template: of what stands below the heading.
        title: its heading.
        description: what a reader finds on it, in one sentence.
        wide: it needs the room of the table of contents.
        **values: of the template.
    """
    head = filled_in("_head.md", title=title, description=description, wide=wide)
    return head + filled_in(template, title=title, **values)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown on one line."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def codes(names: Iterable[str]) -> str:
    """Names, each as code."""
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "&#124;")


def _badge(level: str, since: str) -> str:
    """A level, and the version that it holds since."""
    return f'<span class="ft-badge ft-{level}">{level}</span> since {since}'


def _reference_link(name: str) -> str:
    """A name that a clause is about, with a link from the clause's page when it is public."""
    homes = [module for module in PUBLIC_MODULES if name.startswith(f"{module}.")]
    return f"[`{name}`](../{module_page(max(homes, key=len))}#{name})" if homes else f"`{name}`"


def module_page(module: str) -> str:
    """The page, from docs/, of a public module."""
    return f"reference/{module.rpartition('.')[2]}.md"


@lru_cache(maxsize=512)
def parse(text: str) -> ast.Module:
    """The syntax tree of a file's text. It is shared: do not change it."""
    return ast.parse(text)


@contextmanager
def quiet() -> Iterator[None]:
    """Log nothing: the failures of turns that are shown are meant."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters |= {
    "cell": _cell,
    "codes": codes,
    "json": partial(json.dumps, ensure_ascii=False),
    "module_page": module_page,
    "named": lambda figure: (figure["name"], figure),
    "page_name": lambda family: f"{family.replace('_', '-')}.md",
    "reference_link": _reference_link,
}
_ENVIRONMENT.globals |= {"badge": _badge, "layout": LAYOUT}
