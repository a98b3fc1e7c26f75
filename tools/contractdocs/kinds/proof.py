"""Kinds of drift between the contract and the evidence of a run."""

from __future__ import annotations

from tools.contractdocs._finding import Kind
from tools.contractdocs.kinds import proof_cases, proof_examples, proof_matrix

KINDS: tuple[Kind, ...] = (*proof_matrix.KINDS, *proof_cases.KINDS, *proof_examples.KINDS)
