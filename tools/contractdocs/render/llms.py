"""What a language model reads: a primer with one task for each page, and all pages in one file."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.contractdocs.api.model import Api
from tools.contractdocs.api.report import wrapped
from tools.contractdocs.markdown import front_matter
from tools.contractdocs.project import Project
from tools.contractdocs.render.page import filled_in

README = "README.md"
"""Not a page of the site, and the last part of the file with all of them."""

_PICTURE = re.compile(
    r"!\[[^\]]*\]\([^)]*#only-dark\)\n?|^\{ \.[\w-]+ \}\n"  # the other form of one, and how it is laid out
    r'|<picture>.*?\balt="(?P<html>[^"]*)".*?</picture>|!\[(?P<words>[^\]]*)\]\([^)]*\)',
    re.DOTALL | re.MULTILINE,
)


class Entry(NamedTuple):
    """A page of the site: its path from docs/, and its title in the navigation ("" for its own heading)."""

    path: str
    title: str


def nav(project: Project) -> tuple[Entry, ...]:
    """Every page, in the order of mkdocs.yml, one a line. Whether they are there, mkdocs says."""
    listing = f"\n{project.files['mkdocs.yml']}".partition("\nnav:\n")[2]
    entries = re.findall(r"^ +- (?:(.+?): )?([\w./-]+\.md)$", listing, re.MULTILINE)
    return tuple(Entry(path, title) for title, path in entries if f"docs/{path}" in project.files)


def llms_files(project: Project) -> dict[str, str]:
    """``llms.txt`` and ``llms-full.txt``, by path from the root. The pages must be rendered already."""
    tasks = [_task(entry, project) for entry in nav(project)]
    return {"docs/llms.txt": filled_in("llms.md", tasks=tasks), "docs/llms-full.txt": _full(project)}


def plain_page(path: str, project: Project) -> str:
    """A page as it reads on the site: without markers, HTML and directives."""
    _, text = front_matter(project.files[f"docs/{path}"])
    text = re.sub(r"<figure class=\"ft-machine\">.*?</figure>\n*", "", text, flags=re.DOTALL)
    text = re.sub(r"^(::: \S+)\n(?: {4}.*\n)+", r"\1\n", text, flags=re.MULTILINE)
    lines = (_plain_line(line, project.api) for line in _in_words(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _task(entry: Entry, project: Project) -> str:
    front, body = front_matter(project.files[f"docs/{entry.path}"])
    heading = re.search(r"^# (.+)$", body, re.MULTILINE)
    title = entry.title or (heading[1] if heading else entry.path)
    task = front.get("description", "").rstrip(".")
    read = f"[{title}]({entry.path})"
    return f"- {task}: read {read}." if task.startswith("To ") else f"- {read}: {task}."


def _full(project: Project) -> str:
    parts = [_of_the_repository(project, "AGENT.md", "\n## The contract\n")]
    parts += [f"---\n\nPage: {path}\n\n{plain_page(path, project)}" for path, _ in nav(project)]
    parts.append(f"---\n\nPage: {README}\n\n{_of_the_repository(project, README)}")
    return "\n".join(parts)


def _of_the_repository(project: Project, name: str, end: str = "\0") -> str:
    """A hand-written file of the repository, with links as they are on the site."""
    text = _in_words(project.files.get(name, "").partition(end)[0])
    return text.replace("](docs/", "](").replace("`docs/llms-full.txt`", "this file").rstrip() + "\n"


def _in_words(text: str) -> str:
    """Without comments, and with what pictures show in place of them; code is left as it is."""
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if at % 2 else _prose_in_words(part) for at, part in enumerate(parts))


def _prose_in_words(text: str) -> str:
    without_comments = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return _PICTURE.sub(_seen, without_comments)


def _seen(picture: re.Match[str]) -> str:
    words = picture["html"] or picture["words"]
    return f"(Picture: {words})" if words else ""


def _plain_line(line: str, api: Api) -> str:
    if line.startswith("::: "):
        path = line.removeprefix("::: ").strip()
        members = [one for one in api.symbols.values() if one.path.startswith(f"{path}.") and one.docstring]
        return filled_in(
            "_name.md", path=path, symbol=api.symbols.get(path), members=members, wrapped=wrapped
        )
    if line.startswith(("|", "<p ")):
        line = re.sub(r"</?(?:span|p|code)\b[^>]*>", "", line).replace("<br>", "; ")
        line = re.sub(r"\{ #[\w-]+ \}", "", line)
    return line
