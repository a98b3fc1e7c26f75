"""Every kind of drift, by group."""

from __future__ import annotations

import importlib

from tools.contractdocs._finding import Kind

GROUPS = ("declaration", "proof", "code", "text", "api", "history", "itself")


def kinds() -> tuple[Kind, ...]:
    """All kinds, in the order of their codes."""
    modules = [importlib.import_module(f"tools.contractdocs.kinds.{group}") for group in GROUPS]
    found: list[Kind] = [kind for module in modules for kind in module.KINDS]
    return tuple(sorted(found, key=lambda kind: kind.code))
