"""What a language model reads: a primer with one task for each page, and all pages in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.contractdocs.api.model import Api, Symbol
from tools.contractdocs.api.report import wrapped
from tools.contractdocs.markdown import front_matter
from tools.contractdocs.project import Project
from tools.contractdocs.render.nav import Entry, NavError, nav
from tools.contractdocs.render.page import NOTE, words_of

README = "README.md"
"""Not a page of the site, and the last part of the file with all of them."""

_PICTURE = re.compile(
    r"!\[[^\]]*\]\([^)]*#only-dark\)\n?|^\{ \.[\w-]+ \}\n"  # the other form of one, and how it is laid out
    r'|<picture>.*?\balt="(?P<html>[^"]*)".*?</picture>|!\[(?P<words>[^\]]*)\]\([^)]*\)',
    re.DOTALL | re.MULTILINE,
)


def llms_files(project: Project) -> dict[str, str]:
    """``llms.txt`` and ``llms-full.txt``, by path from the root. The pages must be rendered already."""
    try:
        entries = nav(project.files)
    except NavError as error:
        return {f"docs/{name}": f"{error}\n" for name in ("llms.txt", "llms-full.txt")}
    return {"docs/llms.txt": _short(entries, project), "docs/llms-full.txt": _full(entries, project)}


def plain_page(path: str, project: Project) -> str:
    """A page as it reads on the site: without markers, HTML and directives."""
    _, text = front_matter(project.files[f"docs/{path}"])
    text = re.sub(
        r"<figure class=\"ft-machine\">.*?</figure>\n*", "", text.replace(f"{NOTE}\n\n", ""), flags=re.DOTALL
    )
    text = re.sub(r"^(::: \S+)\n(?: {4}.*\n)+", r"\1\n", text, flags=re.MULTILINE)
    lines = (_plain_line(line, project.api) for line in _in_words(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _short(entries: tuple[Entry, ...], project: Project) -> str:
    lines = [words_of("primer"), "", "## Pages", ""]
    lines += [_task(entry, project) for entry in entries]
    lines += [
        "",
        "[llms-full.txt](llms-full.txt) holds all pages; [contract.json](contract.json) all clauses.",
    ]
    return "\n".join(lines) + "\n"


def _task(entry: Entry, project: Project) -> str:
    text = project.files.get(f"docs/{entry.path}")
    if text is None:
        return f"- {entry.path} is not there"
    front, body = front_matter(text)
    heading = re.search(r"^# (.+)$", body, re.MULTILINE)
    title = entry.title or (heading[1] if heading else entry.path)
    task = front.get("description", "").rstrip(".")
    read = f"[{title}]({entry.path})"
    return f"- {task}: read {read}." if task.startswith("To ") else f"- {read}: {task}."


def _full(entries: tuple[Entry, ...], project: Project) -> str:
    parts = [_of_the_repository(project, "AGENT.md", "\n## The contract\n")]
    for entry in entries:
        there = f"docs/{entry.path}" in project.files
        page = plain_page(entry.path, project) if there else "This page is not there.\n"
        parts.append(f"---\n\nPage: {entry.path}\n\n{page}")
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
        return "\n".join(_expanded(line.removeprefix("::: ").strip(), api))
    if line.startswith(("|", "<p ")):
        line = re.sub(r"</?(?:span|p|code)\b[^>]*>", "", line).replace("<br>", "; ")
        line = re.sub(r"\{ #[\w-]+ \}", "", line)
    return line


def _expanded(path: str, api: Api) -> Iterator[str]:
    symbol = api.symbols.get(path)
    if symbol is None:
        yield f"`{path}`"
        return
    yield from _symbol(symbol, 3)
    for member, one in api.symbols.items():
        if member.startswith(f"{path}.") and one.docstring:
            yield from _symbol(one, 4)


def _symbol(symbol: Symbol, level: int) -> Iterator[str]:
    yield f"{'#' * level} {symbol.path}\n"
    lines = [part for line in symbol.signature.splitlines() for part in wrapped(line)]
    yield "\n".join(["```python", *lines, "```", ""])
    if symbol.docstring:
        yield f"{symbol.docstring}\n"
