"""Kinds of drift between the site's pages and its navigation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_documents import pages
from tools.contractdocs._project import Project
from tools.contractdocs.render.nav import FILE, NavError, nav

SITE = FILE


def _navigation(project: Project) -> Iterator[Place]:
    try:
        entries = nav(project.files)
    except NavError as error:
        place, _, said = str(error).partition(" ")
        line = int(place.rpartition(":")[2]) if ":" in place else 1
        yield at(SITE, line, said=f"the navigation cannot be read: it {said}", do="mend it")
        return
    names = {file.removeprefix("docs/"): file for file, _ in pages(project)}
    seen: dict[str, int] = {}
    for entry in entries:
        if entry.path not in names:
            said = f"the navigation names {entry.path}, which is not in docs"
            yield at(SITE, entry.line, said=said, do="write the page, or take the line out")
        elif entry.path in seen:
            said = f"the navigation names {entry.path} twice; line {seen[entry.path]} does too"
            yield at(SITE, entry.line, said=said, do="leave one")
        seen.setdefault(entry.path, entry.line)
    for name, file in names.items():
        if name not in seen:
            yield at(
                file, 1, said=f"the page is not in the navigation of {SITE}", do="add it to nav, or delete it"
            )


def _form(project: Project) -> Iterator[Place]:
    for file, document in pages(project):
        tops = [heading for heading in document.headings if heading.level == 1]
        description = document.front.get("description")
        if description is None or not description.text:
            yield at(
                file,
                1,
                said="it has no description",
                do="begin it with front matter: description: one sentence",
            )
        if not tops and "title" not in document.front and not _title_is_generated(document.text):
            yield at(file, 1, said="it has no heading of level 1", do="begin it with # and its title")
        for extra in tops[1:]:
            yield at(
                file,
                extra.line,
                said=f'"{extra.text}" is its second heading of level 1',
                do="make it level 2",
            )
    seen: dict[str, str] = {}
    for file, document in pages(project):
        description = document.front.get("description")
        if description is None or not description.text:
            continue
        if description.text in seen:
            said = f"its description is that of {seen[description.text]}"
            yield at(file, description.line, said=said, do="say what this page is for")
        seen.setdefault(description.text, file)


def _title_is_generated(text: str) -> bool:
    return re.search(r"^# ", text, re.MULTILINE) is not None


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT36",
        name="missing-page",
        what="{said}",
        remedy="{do}",
        why=(
            "A page outside the navigation is found by nobody, and is in no llms.txt; an entry without a page"
            " is a dead end. Both happen when a page is moved."
        ),
        find=_navigation,
    ),
    Kind(
        code="FT37",
        name="page-form",
        what="{said}",
        remedy="{do}",
        why=(
            "A page's description is what search engines, previews and llms.txt show of it, and its one"
            " top heading is its title."
        ),
        find=_form,
    ),
)
