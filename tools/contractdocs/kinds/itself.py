"""Kinds of drift in the check itself."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import itself_kinds, itself_runs, itself_settings

KINDS: tuple[Kind, ...] = (*itself_kinds.KINDS, *itself_runs.KINDS, *itself_settings.KINDS)
