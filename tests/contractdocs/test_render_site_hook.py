"""What is done to the site beside building it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.contractdocs.render.site_hook import linked, on_page_content, requests_elsewhere


def test_ids_of_clauses_become_links() -> None:
    assert linked("<p>See <code>held-json</code>.</p>", "guides/bubbles/") == (
        '<p>See <a class="ft-name" href="../../contract/streaming/#held-json"><code>held-json</code></a>.</p>'
    )
    page = SimpleNamespace(url="")
    assert 'href="contract/streaming/#held-json"' in on_page_content("<code>held-json</code>", page=page)


def test_public_classes_become_links() -> None:
    html = linked("<code>StreamChunk</code> <code>tool</code> <code>Unknown</code>", "tutorial/")
    assert 'href="../reference/finalturn/#finalturn.StreamChunk"' in html
    assert html.endswith("<code>tool</code> <code>Unknown</code>")


@pytest.mark.parametrize(
    "html",
    [
        '<a href="x"><code>held-json</code></a>',
        "<h2>The <code>held-json</code></h2>",
        "<pre><code>held-json</code></pre>",
        "<code>held-json x</code>",
    ],
)
def test_links_headings_and_blocks_of_code_stay(html: str) -> None:
    assert linked(html, "") == html


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script async src="https://cdn.example/x.js"></script>'),
        ("a.html", '<img alt="" src=//cdn.example/x.js>'),
        ("a.html", '<link rel="stylesheet" href="https://cdn.example/x.js">'),
        ("a.css", "@import 'https://cdn.example/x.js';"),
        ("a.css", "a { background: url( https://cdn.example/x.js ) }"),
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert [
        found.removeprefix(f"{name}: ").removeprefix("https:") for found in requests_elsewhere(tmp_path)
    ] == ["//cdn.example/x.js"]


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://example.org">read</a>',
        '<link rel="canonical" href="https://example.org/">',
        '<script src="../assets/x.js"></script>',
    ],
)
def test_links_and_own_files_are_fine(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.html").write_text(text)
    assert list(requests_elsewhere(tmp_path)) == []
