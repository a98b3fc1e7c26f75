"""Kinds of drift."""

from __future__ import annotations

from tools.contractdocs._finding import Kind

KINDS: tuple[Kind, ...] = ()
