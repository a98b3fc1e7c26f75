"""What is done to the site beside building it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.contractdocs.render import site_hook
from tools.contractdocs.render.site_hook import on_post_build


@pytest.mark.parametrize(
    "text",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        '<img alt="" src=//cdn.example/x.js>',
        '<link href="https://cdn.example/x.js" rel="stylesheet">',
    ],
)
def test_a_site_that_loads_things_from_elsewhere_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.html").write_text(text)
    with pytest.raises(SystemExit, match=r"from elsewhere:\na\.html: (https:)?//cdn\.example/x\.js$"):
        on_post_build(config={"site_dir": str(tmp_path)})


def test_a_site_with_links_and_own_files_has_its_pages_as_text_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"mkdocs.yml": "nav:\n  - A: guides/a.md\n", "docs/guides/a.md": "---\nx: y\n---\n\n# A\n"}
    monkeypatch.setattr(site_hook, "read_files", lambda: files)
    (tmp_path / "a.html").write_text(
        '<a href="https://example.org">read</a> <link rel="canonical" href="https://example.org/">'
        '<script src="../assets/x.js"></script>'
    )
    on_post_build(config={"site_dir": str(tmp_path)})
    assert (tmp_path / "guides/a.md").read_text() == "# A\n"
