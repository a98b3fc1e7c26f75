"""The contract for programs."""

from __future__ import annotations

import json
from dataclasses import asdict

from finalturn.contract import Clause
from tools.contractdocs.project import Project
from tools.contractdocs.render._clause_pages import Proving, clause_path, surfaces
from tools.contractdocs.render._proving import proving_tests
from tools.contractdocs.render._public_names import about_paths
from tools.contractdocs.render._rules import as_json

FORMAT = 1
"""Grows when a program that reads the file must change."""


def contract_json(project: Project) -> str:
    """The file."""
    proving = proving_tests(project.files)
    content = {
        "format": FORMAT,
        "clauses": [_clause(clause, project, proving) for clause in project.clauses],
        "rules": [as_json(rule) for rule in project.table],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _clause(clause: Clause, project: Project, proving: Proving) -> dict[str, object]:
    return {
        "id": clause.id,
        "family": clause.family.value,
        "since": clause.since,
        "stability": clause.stability,
        "surfaces": surfaces(clause),
        "statement": clause.statement,
        "why": clause.why,
        "about": list(about_paths(clause)),
        "kept_by": list(clause.kept_by),
        "decidable": clause.check is not None,
        "revised": clause.revised,
        "deprecation": asdict(clause.deprecation) if clause.deprecation else None,
        "tests": [{"file": test.file, "name": test.name} for test in proving.get(clause.id, ())],
        "rules": [rule.name for rule in project.table if clause.id in rule.upholds],
        "page": clause_path(clause),
    }
