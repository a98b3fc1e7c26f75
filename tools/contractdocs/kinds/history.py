"""Kinds of drift between this state and what was released."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import history_changelog, history_clauses, history_versions

KINDS: tuple[Kind, ...] = (*history_versions.KINDS, *history_clauses.KINDS, *history_changelog.KINDS)
