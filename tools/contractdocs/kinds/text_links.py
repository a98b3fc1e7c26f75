"""Kinds of drift between links and where they lead."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from difflib import get_close_matches
from urllib.parse import unquote, urlsplit

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown import read
from tools.contractdocs._markdown_anchors import anchors, forge_anchors
from tools.contractdocs._project import Project


def _dead(project: Project) -> Iterator[Place]:
    for file, text in project.files.items():
        if not file.endswith(".md"):
            continue
        for link in read(text).links:
            if found := _problem(project, file, link.text):
                yield at(file, link.line, target=link.text, said=found[0], do=found[1])


def _problem(project: Project, file: str, target: str) -> tuple[str, str] | None:
    if target.startswith("["):
        return "there is no such reference", "define it, or write the target in parentheses"
    parts = urlsplit(target)
    if parts.scheme in ("http", "https"):
        good = re.fullmatch(r"[a-z0-9.-]+\.[a-z]{2,}(?::\d+)?", parts.netloc) and "//" not in parts.path
        return None if good or _is_local(parts.netloc) else ("no such address can be", "write it out")
    if parts.scheme and parts.scheme != "mailto":
        return f"{parts.scheme} is no way to link", "use http, https or a relative path"
    if parts.scheme == "mailto":
        return None
    return _relative(project, file, unquote(parts.path), unquote(parts.fragment))


def _relative(project: Project, file: str, path: str, fragment: str) -> tuple[str, str] | None:
    if path.startswith("/"):
        return "an absolute path depends on where the site is", "write it relative to this file"
    to = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
    if file.startswith("docs/") and not to.startswith("docs/"):
        return f"{to} is not on the site", "link to a page in docs"
    if to not in project.files:
        if any(name.startswith(f"{to}/") for name in project.files) and not file.startswith("docs/"):
            return None
        alike = [name for name in project.files if posixpath.splitext(name)[1] == posixpath.splitext(to)[1]]
        close = get_close_matches(to, alike, 1, 0.5)
        return f"there is no {to}", f"did you mean {close[0]}?" if close else "mend it, or take it out"
    if not fragment or not to.endswith(".md"):
        return None
    there = project.files[to]
    known = anchors(there) if to.startswith("docs/") else forge_anchors(there)
    if fragment in known or _is_object(project, known, fragment):
        return None
    close = get_close_matches(fragment, known, 1, 0.4)
    return (
        f"{to} has no anchor {fragment}",
        f"did you mean #{close[0]}?" if close else "mend it, or take it out",
    )


def _is_object(project: Project, known: frozenset[str], fragment: str) -> bool:
    """Whether it is a public name that the reference page shows with the name that holds it."""
    owner = fragment
    while "." in owner and fragment in project.api.symbols:
        owner = owner.rpartition(".")[0]
        if owner in known:
            return True
    return False


def _is_local(host: str) -> bool:
    return host.partition(":")[0] in ("localhost", "127.0.0.1")


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT3A",
        name="dead-link",
        what="it links to {target}; {said}",
        remedy="{do}",
        why="A link that leads nowhere is the proof that nobody has read the page since.",
        find=_dead,
    ),
)
