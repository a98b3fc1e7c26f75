"""What mkdocs does to the pages beside building them; mkdocs.yml names this file.

Ids of clauses and names of public classes become links, wherever they stand as code. Each page is also
written as plain Markdown, next to its HTML, for the links of llms.txt. And no page may load anything from
elsewhere."""

from __future__ import annotations

import importlib
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from finalturn.contract import CLAUSES
from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.project import Project, read_files
from tools.contractdocs.render.contract import clause_path
from tools.contractdocs.render.llms import nav, plain_page
from tools.contractdocs.render.page import module_page

_CODE = re.compile(
    r"(?P<keep><a\b.*?</a>|<pre\b.*?</pre>|<h[1-6]\b.*?</h[1-6]>|<svg\b.*?</svg>)|<code>(?P<name>[\w.-]+)</code>",
    re.DOTALL,
)

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link\b(?=[^>]*\brel=["']?stylesheet))\b[^>]*?\b(?:src|href)=["']?"""
    r"""(?P<url>(?:https?:)?//[^"'\s)>]+)"""
)
"""What a page makes a browser ask another server for. Links do not."""


def linked(html: str, url: str) -> str:
    """A page's HTML with its links; ``url`` is the page's own, from the root of the site."""

    def replaced(match: re.Match[str]) -> str:
        target = None if match["keep"] else _targets().get(match["name"])
        if target is None:
            return match[0]
        page, _, anchor = target.partition("#")
        to = posixpath.relpath(f"/{_url(page)}", f"/{url}")
        return f'<a class="ft-name" href="{to}/#{anchor}">{match[0]}</a>'

    return _CODE.sub(replaced, html)


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page."""
    return linked(html, page.url)


def on_post_build(*, config: Mapping[str, Any], **_: Any) -> None:
    """Called by mkdocs once the site is built."""
    loaded = [
        f"{path.name}: {match['url']}"
        for path in sorted(Path(config["site_dir"]).rglob("*.html"))
        for match in _LOADED.finditer(path.read_text(encoding="utf-8"))
    ]
    if loaded:
        raise SystemExit("\n".join(["the site loads things from elsewhere:", *loaded]))
    project = Project(read_files())
    for entry in nav(project):
        path = Path(config["site_dir"], entry.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(plain_page(entry.path, project), encoding="utf-8")


def _url(page: str) -> str:
    return page.removesuffix("index.md").removesuffix(".md")


@cache
def _targets() -> dict[str, str]:
    """Where each name leads: a page of docs/ and an anchor."""
    found: dict[str, str] = {clause.id: clause_path(clause) for clause in CLAUSES}
    for module in PUBLIC_MODULES:
        names: list[str] = importlib.import_module(module).__all__
        for name in names:
            if re.fullmatch(r"(?:[A-Z][a-z0-9]+)+", name):
                found.setdefault(name, f"{module_page(module)}#{module}.{name}")
    return found
