"""Kinds of drift in the public API."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import (
    api_beta,
    api_defaults,
    api_docstrings,
    api_homes,
    api_levels,
    api_report,
)

KINDS: tuple[Kind, ...] = (
    *api_report.KINDS,
    *api_levels.KINDS,
    *api_homes.KINDS,
    *api_docstrings.KINDS,
    *api_defaults.KINDS,
    *api_beta.KINDS,
)
