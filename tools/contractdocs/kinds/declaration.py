"""Kinds of drift within the declarations of clauses."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import (
    declaration_about,
    declaration_ids,
    declaration_links,
    declaration_words,
)

KINDS: tuple[Kind, ...] = (
    *declaration_ids.KINDS,
    *declaration_words.KINDS,
    *declaration_about.KINDS,
    *declaration_links.KINDS,
)
