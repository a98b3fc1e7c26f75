"""Kinds of drift between documents and what they speak of."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import (
    text_commands,
    text_generated,
    text_links,
    text_names,
    text_numbers,
    text_pages,
    text_promises,
    text_types,
)

KINDS: tuple[Kind, ...] = (
    *text_generated.KINDS,
    *text_promises.KINDS,
    *text_names.KINDS,
    *text_types.KINDS,
    *text_commands.KINDS,
    *text_pages.KINDS,
    *text_links.KINDS,
    *text_numbers.KINDS,
)
