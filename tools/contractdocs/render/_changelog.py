"""The changelog, as a page of the site."""

from __future__ import annotations

import re

from tools.contractdocs.project import Project
from tools.contractdocs.render._page import page

SOURCE = "CHANGELOG.md"

_INTO_DOCS = re.compile(r"\]\((?:\./)?docs/")


def changelog_page(project: Project) -> str:
    """The page: CHANGELOG.md, with its links to the docs made to fit."""
    text = project.files[SOURCE]
    _, _, body = text.partition("\n")
    return page(
        "Changelog", "To see what has changed, release by release.", [_INTO_DOCS.sub("](", body).strip()]
    )
