"""Kinds of drift in the code: what may decide that something is visible, and what the core may know."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import (
    code_arms,
    code_core,
    code_emissions,
    code_rules,
    code_theory,
    code_words,
)

KINDS: tuple[Kind, ...] = (
    *code_rules.KINDS,
    *code_theory.KINDS,
    *code_emissions.KINDS,
    *code_core.KINDS,
    *code_arms.KINDS,
    *code_words.KINDS,
)
