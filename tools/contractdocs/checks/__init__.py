"""Every kind of drift that the check looks for. docs/drift.md tells of each why it matters."""

from __future__ import annotations

import importlib

from tools.contractdocs.findings import REGISTRY, Kind

MODULES = ("declarations", "proofs", "rules", "documents", "names", "api", "releases")


def kinds() -> tuple[Kind, ...]:
    """All kinds, in the order of their codes."""
    for module in MODULES:
        importlib.import_module(f"tools.contractdocs.checks.{module}")
    return tuple(REGISTRY[code] for code in sorted(REGISTRY))
