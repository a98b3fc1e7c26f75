"""What a clause points at exists: the modules that keep it, and the clause that takes its place."""

from __future__ import annotations

from collections.abc import Iterator

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project


def _kept_by_nothing(project: Project) -> Iterator[Place]:
    for clause in project.clauses:
        for module in clause.kept_by:
            path = f"src/{module.replace('.', '/')}"
            if not {f"{path}.py", f"{path}/__init__.py"} & project.files.keys():
                yield at(*project.place_of_clause(clause.id), clause=clause.id, module=module)


def _weak_replacement(project: Project) -> Iterator[Place]:
    by_id = {clause.id: clause for clause in project.clauses}
    for clause in project.clauses:
        if clause.deprecation is None or clause.deprecation.use is None:
            continue
        use = clause.deprecation.use
        other = by_id.get(use)
        if other is None:
            said = "which no clause declares"
        elif other is clause:
            said = "which is itself"
        elif other.deprecation is not None:
            said = "which is deprecated too"
        elif clause.stability == "stable" and other.stability != "stable":
            said = "which is only beta"
        else:
            continue
        yield at(*project.place_of_clause(clause.id), clause=clause.id, use=use, said=said)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT09",
        name="kept-by-nothing",
        what="{clause} is kept by {module}, and there is no such module",
        remedy="name the module that keeps it now",
        why="Tests of the clause must catch what breaks that module: of none, nothing can be broken.",
        find=_kept_by_nothing,
    ),
    Kind(
        code="FT0A",
        name="weak-replacement",
        what="{clause} is deprecated in favour of {use}, {said}",
        remedy="name a clause that is as stable, or None",
        why="Whoever follows a deprecation must not end up with less than before.",
        find=_weak_replacement,
    ),
)
