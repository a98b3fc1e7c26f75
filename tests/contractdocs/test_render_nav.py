"""The navigation of the site, as the check reads it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contractdocs._plant import PROJECT
from tools.contractdocs.render.nav import Entry, NavError, nav

TEXT = """\
site_name: x
nav:
  # a comment
  - Home: index.md
  - "Guides: all":
      - guides/index.md   # no title
      - 'Bubbles': guides/bubbles.md

  - Changelog: changelog.md
theme:
  - name: page.md
"""


def test_pages_come_in_order() -> None:
    assert nav({"mkdocs.yml": TEXT}) == (
        Entry("index.md", "Home", 4),
        Entry("guides/index.md", "", 6),
        Entry("guides/bubbles.md", "Bubbles", 7),
        Entry("changelog.md", "Changelog", 9),
    )


@pytest.mark.parametrize(
    "line", ["  - [a, b]", "  - Home: {x: y.md}", "  - Home: page.html", "  Home: page.md", "  - *x"]
)
def test_what_is_not_understood_is_an_error(line: str) -> None:
    with pytest.raises(NavError, match=r"^mkdocs\.yml:3 is not understood"):
        nav({"mkdocs.yml": f"nav:\n  - Home: index.md\n{line}\n"})


@pytest.mark.parametrize("files", [{}, {"mkdocs.yml": "site_name: x\n"}, {"mkdocs.yml": "nav:\n"}])
def test_no_navigation_is_an_error(files: dict[str, str]) -> None:
    with pytest.raises(NavError, match="has no nav"):
        nav(files)


def test_it_reads_what_mkdocs_reads() -> None:
    yaml = pytest.importorskip("yaml", reason="mkdocs is not installed")
    text = PROJECT.files["mkdocs.yml"]
    assert [(entry.path, entry.title) for entry in nav(PROJECT.files)] == list(
        _flat(yaml.safe_load(text)["nav"])
    )


def _flat(items: list[Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for item in items:
        pairs: list[tuple[str, Any]] = [("", item)] if isinstance(item, str) else list(item.items())
        for title, inner in pairs:
            found += [(inner, title)] if isinstance(inner, str) else _flat(inner)
    return found
