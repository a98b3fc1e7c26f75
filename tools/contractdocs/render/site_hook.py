"""What mkdocs does to the pages beside building them; mkdocs.yml names this file.

Ids of clauses and names of public classes become links, wherever they stand as code. Each page is also
written as plain Markdown, next to its HTML, for the links of llms.txt. And no page may load anything from
elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from finalturn.contract import CLAUSES
from tools.contractdocs.modules import PUBLIC_MODULES, module_file
from tools.contractdocs.project import Project, read_files
from tools.contractdocs.render import public
from tools.contractdocs.render.contract import clause_path
from tools.contractdocs.render.llms import plain_page
from tools.contractdocs.render.nav import nav
from tools.contractdocs.render.public import module_page

_CODE = re.compile(
    r"(?P<keep><a\b.*?</a>|<pre\b.*?</pre>|<h[1-6]\b.*?</h[1-6]>|<svg\b.*?</svg>)|<code>(?P<name>[\w.-]+)</code>",
    re.DOTALL,
)

_URL = r"""(?P<url>(?:https?:)?//[^"'\s)>]+)"""
_ELEMENT = rf"""<(?:script|img|iframe|source|video|audio|embed|use)\b[^>]*?\b(?:src|href)=["']?{_URL}"""
_STYLE = rf"""(?:url\(\s*["']?|@import\s+["']){_URL}"""
_LINK = rf"""<link\b(?![^>]*\brel=["']?(?:canonical|next|prev|alternate)\b)[^>]*?\bhref=["']?{_URL}"""
_LOADS = {
    ".html": [re.compile(pattern) for pattern in (_ELEMENT, _LINK, _STYLE)],
    ".css": [re.compile(_STYLE)],
    ".svg": [re.compile(_STYLE)],
}


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
    project = Project(read_files())
    for entry in nav(project.files):
        if f"docs/{entry.path}" not in project.files:
            continue  # mkdocs has said so
        path = Path(config["site_dir"], entry.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(plain_page(entry.path, project), encoding="utf-8")
    loaded = list(requests_elsewhere(Path(config["site_dir"])))
    if loaded:
        raise SystemExit("\n".join(["the site loads things from elsewhere:", *loaded]))


def requests_elsewhere(site: Path) -> Iterator[str]:
    """Each file of the site that makes a browser ask another server, and for what. Links do not."""
    for path in sorted(site.rglob("*")):
        for pattern in _LOADS.get(path.suffix, ()):
            for match in pattern.finditer(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(site)}: {match['url']}"


def _url(page: str) -> str:
    return page.removesuffix("index.md").removesuffix(".md")


@cache
def _targets() -> dict[str, str]:
    """Where each name leads: a page of docs/ and an anchor."""
    files = read_files()
    found: dict[str, str] = {clause.id: clause_path(clause) for clause in CLAUSES}
    for module in PUBLIC_MODULES:
        for name in public.strings(files, module_file(module, files), "__all__"):
            if re.fullmatch(r"(?:[A-Z][a-z0-9]+)+", name):
                found.setdefault(name, f"{module_page(module)}#{module}.{name}")
    return found
