"""A clause has one id, makes one testable promise, and speaks of public things that are as stable as it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from finalturn.stability import NEXT
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.project import Project, full_name

_VERSION = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)")


@kind("FT01", "id-mismatch")
def _mismatch(project: Project) -> Iterator[Finding]:
    """Ids that stand twice, or that finalturn.contract exports under another name or not at all."""
    ids = [clause.id for clause in project.clauses]
    for clause_id in dict.fromkeys(ids):
        constant = clause_id.upper().replace("-", "_")
        symbol = project.api.symbols.get(f"finalturn.contract.{constant}")
        if ids.count(clause_id) > 1:
            what = f"{clause_id} is declared twice"
            yield project.at_clause(clause_id, what, "give one of them an id of its own")
        if symbol is None or f"'{clause_id}'" not in symbol.signature:
            what = f"finalturn.contract has no {constant} that declares {clause_id}"
            remedy = f"call the constant {constant}, and list it in __all__; an id that was released stays"
            yield project.at_clause(clause_id, what, remedy)


@kind("FT02", "vague-statement")
def _vague(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        verbs = verbs_of(clause.statement)
        if len(verbs) != 1:
            found = f"{len(verbs)} ({', '.join(verbs)})" if verbs else "none"
            what = f"{clause.id} must hold exactly one of MUST, MUST NOT and MAY; found {found}"
            yield project.at_clause(clause.id, what, "say one thing that it promises; split what says two")
        if not clause.surfaces:
            what = f"{clause.id} can be seen on no surface"
            yield project.at_clause(clause.id, what, "name where it can be observed")


def verbs_of(statement: str) -> list[str]:
    """The words of a statement that say how strong it is."""
    return re.findall(r"\bMUST NOT\b|\bMUST\b|\bMAY\b", statement)


@kind("FT03", "about-private")
def _private(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        if not clause.about:
            what = f"{clause.id} speaks of no public thing"
            yield project.at_clause(clause.id, what, "name in about= what it is a promise of")
        for thing in clause.about:
            if project.public(thing) is None:
                home = thing if isinstance(thing, str) else full_name(thing)
                what = f"{clause.id} speaks of {home}, which is not public"
                yield project.at_clause(clause.id, what, "speak of a public thing, or export it")


@kind("FT04", "stable-on-beta")
def _on_beta(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        for symbol in map(project.public, clause.about if clause.stability == "stable" else ()):
            if symbol is not None and symbol.level == "beta":
                what = f"{clause.id} is stable, and speaks of {symbol.path}, which is beta"
                yield project.at_clause(clause.id, what, "make the clause beta, or the thing stable")


@kind("FT08", "bad-since")
def _versions(project: Project) -> Iterator[Finding]:
    remedy = "write NEXT for what comes with the next release, else a version such as 1.2.0"
    for clause in project.clauses:
        given = {"since": clause.since, "revised": clause.revised or NEXT}
        if clause.deprecation:
            given |= {"deprecation.since": clause.deprecation.since}
            given |= {"deprecation.removal": clause.deprecation.removal}
        for field, version in given.items():
            may_be_next = field != "deprecation.removal"
            if not (_VERSION.fullmatch(version) or (may_be_next and version == NEXT)):
                what = f'{clause.id} says {field}="{version}", which is no version'
                yield project.at_clause(clause.id, what, remedy)
