"""What mkdocs does to the pages beside building them; mkdocs.yml names this file.

Each page is also written as plain Markdown, next to its HTML, for the links of llms.txt. And no page may load
anything from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.contractdocs.project import Project, read_files
from tools.contractdocs.render.llms import nav, plain_page

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link\b(?=[^>]*\brel=["']?stylesheet))\b[^>]*?\b(?:src|href)=["']?"""
    r"""(?P<url>(?:https?:)?//[^"'\s)>]+)"""
)
"""What a page makes a browser ask another server for. Links do not."""


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
