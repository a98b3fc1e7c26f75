"""Where links may lead to within a page."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from tools.contractdocs._markdown import read

_CODE_OR_LINK = re.compile(r"`|\*\*?|\[([^\]]*)\]\([^)]*\)|<!--.*?-->", re.DOTALL)
_ID = re.compile(r"""(?:\bid|\bname)=["']([^"']+)["']|\{[^{}\n]*#([\w.-]+)[^{}\n]*\}""")
_OBJECT = re.compile(r"^::: ([\w.]+)", re.MULTILINE)


@lru_cache(maxsize=512)
def anchors(text: str) -> frozenset[str]:
    """The anchors of a page of the site: of its headings, and those that are written out."""
    found = {one or two for one, two in _ID.findall(text)}
    for heading in _headings(text):
        if heading[1]:
            found.add(heading[1])
            continue
        slug, number = site_slug(heading[0]), 0
        unique = slug
        while unique in found:
            number += 1
            unique = f"{slug}_{number}"
        found.add(unique)
    return frozenset(found | set(_OBJECT.findall(text)))


@lru_cache(maxsize=64)
def forge_anchors(text: str) -> frozenset[str]:
    """The anchors of a file as a code forge shows it."""
    found = {one or two for one, two in _ID.findall(text)}
    for title, _ in _headings(text):
        slug, number = _forge_slug(title), 0
        unique = slug
        while unique in found:
            number += 1
            unique = f"{slug}-{number}"
        found.add(unique)
    return frozenset(found)


def _headings(text: str) -> list[tuple[str, str]]:
    """Title and explicit anchor of every heading, in generated blocks too."""
    whole = re.sub(r"<!-- *(?:generated|value)\b.*?-->|<!-- *end *-->", "", text)
    return [(heading.text, heading.anchor) for heading in read(whole).headings]


def site_slug(title: str) -> str:
    """The anchor that Python-Markdown's table of contents gives a heading."""
    plain = unicodedata.normalize("NFKD", _plain(title)).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _forge_slug(title: str) -> str:
    return re.sub(r"[^\w\s-]", "", _plain(title)).strip().lower().replace(" ", "-")


def _plain(title: str) -> str:
    return _CODE_OR_LINK.sub(lambda match: match[1] or "", title)
