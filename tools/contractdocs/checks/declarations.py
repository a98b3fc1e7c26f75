"""A clause has one id, makes one testable promise, and speaks of public things that are as stable as it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from finalturn._support.public_home import defined_in
from finalturn.contract import Clause
from finalturn.stability import NEXT
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.project import Project

FOLDER = "src/finalturn/_contract/"

_DECLARED = re.compile(r'^(?P<constant>\w+) = Clause\(\s*id="(?P<id>[^"]*)"', re.MULTILINE)
_VERSION = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)")


def _declared(project: Project) -> list[tuple[str, str, str, int]]:
    """Constant, id, file and line of every ``NAME = Clause(id="...", ...)``."""
    return [
        (match["constant"], match["id"], file, text.count("\n", 0, match.start("id")) + 1)
        for file, text in sorted(project.files.items())
        if file.startswith(FOLDER)
        for match in _DECLARED.finditer(text)
    ]


def _listed(project: Project, file: str, name: str) -> list[tuple[str, int]]:
    """The names and strings in the parentheses or brackets that are assigned to a name, and their lines."""
    text = project.files.get(file, "")
    match = re.search(rf"^{name}\b[^=\n]*= *\w*[(\[](?P<body>.*?)^[)\]]", text, re.MULTILINE | re.DOTALL)
    if match is None:
        return []
    words = re.finditer(r"[A-Za-z][\w-]+", match["body"])
    return [(word[0], text.count("\n", 0, match.start("body") + word.start()) + 1) for word in words]


@kind("FT01", "duplicate-id")
def _twice(project: Project) -> Iterator[Finding]:
    remedy = "give one of them an id of its own"
    first: dict[str, str] = {}
    for _, clause_id, file, line in _declared(project):
        if clause_id in first:
            yield Finding(file, line, f"{clause_id} is declared twice, also in {first[clause_id]}", remedy)
        first.setdefault(clause_id, f"{file}:{line}")


@kind("FT07", "id-mismatch")
def _mismatch(project: Project) -> Iterator[Finding]:
    ids_file = next(file for file, text in project.files.items() if "\nClauseId: TypeAlias" in text)
    ids = [one for one in _listed(project, ids_file, "ClauseId") if "-" in one[0]]
    declared = _declared(project)
    for constant, clause_id, file, line in declared:
        wanted = clause_id.upper().replace("-", "_")
        if constant != wanted:
            remedy = f"call the constant {wanted}; an id that was released stays"
            yield Finding(file, line, f"{constant} declares {clause_id}", remedy)
        if clause_id not in dict(ids):
            yield Finding(file, line, f"ClauseId does not list {clause_id}", f"list it in {ids_file}")
        if constant not in dict(_listed(project, file, "__all__")):
            yield Finding(file, line, f"__all__ does not hold {constant}", "add it above")
    for clause_id, line in ids:
        if all(clause_id != one for _, one, _, _ in declared):
            yield Finding(ids_file, line, f"no clause declares {clause_id}", "declare it, or take the id out")


@kind("FT02", "vague-statement")
def _vague(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        for said, remedy in _weaknesses(clause):
            yield project.at_clause(clause.id, f"{clause.id} {said}", remedy)


def _weaknesses(clause: Clause) -> Iterator[tuple[str, str]]:
    verbs = verbs_of(clause.statement)
    if len(verbs) != 1:
        found = f"{len(verbs)} ({', '.join(verbs)})" if verbs else "none"
        remedy = "split it into as many clauses" if verbs else "say what it promises"
        yield f"must hold exactly one of MUST, MUST NOT and MAY; found {found}", remedy
    if other := re.search(r"\b(?:SHALL|SHOULD|REQUIRED|RECOMMENDED|OPTIONAL)\b", clause.statement):
        yield f"says {other[0]}, which is no word of this contract", "say MUST, MUST NOT or MAY"
    if not clause.statement.strip().endswith("."):
        yield "does not end its statement with a full stop", "make it a sentence"
    if not clause.why.strip().endswith("."):
        yield "does not say why in a sentence", "say what goes wrong for someone without it"
    if not clause.surfaces:
        yield "can be seen on no surface", "name where it can be observed"


def verbs_of(statement: str) -> list[str]:
    """The words of a statement that say how strong it is."""
    return re.findall(r"\bMUST NOT\b|\bMUST\b|\bMAY\b", statement)


def _about(project: Project, clause: Clause) -> Iterator[tuple[str, Symbol | None]]:
    """Each thing that a clause is about: where it is defined, and as what it is public."""
    by_home = {symbol.home: symbol for symbol in project.api.symbols.values()}
    for thing in clause.about:
        if isinstance(thing, str):
            # It needs an extra: its public name stands there itself.
            yield thing, project.api.symbols.get(thing)
        else:
            home = f"{defined_in(thing) or '?'}.{getattr(thing, '__qualname__', repr(thing))}"
            yield home, by_home.get(home)


@kind("FT03", "about-private")
def _private(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        for home, symbol in _about(project, clause):
            if symbol is None:
                what = f"{clause.id} speaks of {home}, which is not public"
                yield project.at_clause(clause.id, what, "speak of a public thing, or export it")


@kind("FT04", "stable-on-beta")
def _on_beta(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        for _, symbol in _about(project, clause):
            if clause.stability == "stable" and symbol is not None and symbol.level == "beta":
                what = f"{clause.id} is stable, and speaks of {symbol.path}, which is beta"
                yield project.at_clause(clause.id, what, "make the clause beta, or the thing stable")


@kind("FT06", "nothing-about")
def _nothing(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        if not clause.about:
            what = f"{clause.id} speaks of no public thing"
            yield project.at_clause(clause.id, what, "name in about= what it is a promise of")


@kind("FT08", "bad-since")
def _versions(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        gone = clause.deprecation
        given = {"since": clause.since, "revised": clause.revised}
        if gone is not None:
            given |= {"deprecation.since": gone.since, "deprecation.removal": gone.removal}
        for field, version in given.items():
            may_be_next = field != "deprecation.removal"
            if version is None or _VERSION.fullmatch(version) or (may_be_next and version == NEXT):
                continue
            allowed = "NEXT or a version such as 1.2.0" if may_be_next else "a version such as 2.0.0"
            what = f'{clause.id} says {field}="{version}"; it must be {allowed}'
            remedy = "write NEXT for what comes with the next release, else the version"
            yield project.at_clause(clause.id, what, remedy)


@kind("FT09", "kept-by-nothing")
def _kept_by_nothing(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        for module in clause.kept_by:
            path = f"src/{module.replace('.', '/')}"
            if not {f"{path}.py", f"{path}/__init__.py"} & project.files.keys():
                what = f"{clause.id} is kept by {module}, and there is no such module"
                yield project.at_clause(clause.id, what, "name the module that keeps it now")


@kind("FT0A", "weak-replacement")
def _weak_replacement(project: Project) -> Iterator[Finding]:
    by_id = {clause.id: clause for clause in project.clauses}
    for clause in project.clauses:
        use = clause.deprecation.use if clause.deprecation else None
        if use is None:
            continue
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
        what = f"{clause.id} is deprecated in favour of {use}, {said}"
        yield project.at_clause(clause.id, what, "name a clause that is as stable, or None")
