"""One page for each chapter of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalturn.contract import Clause, Family, Surface
from finalturn.core.turn import Table
from tests.contract._exemptions import EXEMPTIONS
from tests.contract._play import KINDS
from tools.contractdocs.project import Project
from tools.contractdocs.render._page import badge, items, link, page
from tools.contractdocs.render._proving import ProvingTest, proving_tests
from tools.contractdocs.render._public_names import about_paths, reference_page

Proving = Mapping[str, tuple[ProvingTest, ...]]

ABOUT: Mapping[Family, tuple[str, str]] = {
    Family.STREAMING: ("Streaming", "what streams, and what a surface is told"),
    Family.FINALIZE: ("should_finalize", "when the predicate is asked, and what it sees"),
    Family.MESSAGES: ("Messages", "the messages that a turn leaves"),
    Family.OUTCOME: ("Outcome", "how the object comes out, and what it costs"),
    Family.LIFECYCLE: ("Lifecycle", "closing, isolation, usage and errors"),
    Family.SERVING: ("Serving", "whole records, keys, owners and coming back"),
}
"""The title of each chapter, and what is in it."""


def family_path(family: Family) -> str:
    """The page of a chapter, from docs/."""
    return f"contract/{family.value.replace('_', '-')}.md"


def clause_path(clause: Clause) -> str:
    """The page and anchor of a clause, from docs/."""
    return f"{family_path(clause.family)}#{clause.id}"


def surfaces(clause: Clause) -> list[str]:
    """Its surfaces, in the order in which they are declared."""
    return [surface.value for surface in Surface if surface in clause.surfaces]


def clause_pages(project: Project) -> dict[str, str]:
    """Every chapter's page, by its path from the root."""
    proving = proving_tests(project.files)
    return {f"docs/{family_path(family)}": _page(family, project, proving) for family in Family}


def _page(family: Family, project: Project, proving: Proving) -> str:
    title, about = ABOUT[family]
    path = family_path(family)
    clauses = [clause for clause in project.clauses if clause.family is family]
    parts = [f"The clauses on {about}. {link('What a clause is', 'contract/index.md', path)}."]
    for clause in clauses:
        parts += _section(clause, path, project.table, proving)
    return page(title, f"To look up the promises on {about}.", parts)


def _section(clause: Clause, path: str, table: Table, proving: Proving) -> Iterator[str]:
    yield f"## {clause.id}"
    revised = f", revised {clause.revised}" if clause.revised else ""
    yield f'<p class="ft-level">{badge(clause.stability, clause.since)}{revised}</p>'
    yield clause.statement
    yield f"*Why:* {clause.why}"
    if clause.deprecation:
        yield _deprecated(clause)
    yield items(_facts(clause, path, table, proving))


def _deprecated(clause: Clause) -> str:
    gone = clause.deprecation
    assert gone is not None
    use = f" [{gone.use}](#{gone.use}) takes its place." if gone.use else ""
    return f'!!! warning "Deprecated since {gone.since}"\n    It will be gone in {gone.removal}.{use}'


def _facts(clause: Clause, path: str, table: Table, proving: Proving) -> Iterator[str]:
    yield f"Seen on: {', '.join(f'`{surface}`' for surface in surfaces(clause))}"
    if clause.about:
        yield f"About: {', '.join(_about(name, path) for name in about_paths(clause))}"
    yield _proved(proving.get(clause.id, ()))
    yield from _exempt(clause)
    rules = [rule.name for rule in table if clause.id in rule.upholds]
    if rules:
        links = (link(f"`{name}`", f"contract/machine.md#rule-{name}", path) for name in rules)
        yield f"Upheld by the rules {', '.join(links)}"
    if clause.kept_by:
        yield f"Kept by: {', '.join(f'`{module}`' for module in clause.kept_by)}"
    how = link("`finalturn contract verify`", "contract/trace-format.md", path)
    yield f"{how} can decide it for a recorded turn" if clause.check else "A recorded turn cannot decide it"


def _exempt(clause: Clause) -> Iterator[str]:
    """The combinations that nothing is proved with, each reason once."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in EXEMPTIONS:
        if one.clause.id == clause.id:
            # The ways to ask over HTTP differ in what they carry.
            through = f" through {_codes(one.drivers)}" if one.surface is Surface.HTTP else ""
            found.setdefault((one.reason, one.kinds), []).append(f"`{one.surface}`{through}")
    for (reason, kinds), on in found.items():
        which = "any kind of provider" if kinds == KINDS else _codes(kinds)
        yield f"Not proved on {', '.join(on)} with {which}: {reason}"


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _proved(tests: Sequence[ProvingTest]) -> str:
    files = sorted({test.file for test in tests})
    names = {file: ", ".join(f"`{test.name}`" for test in tests if test.file == file) for file in files}
    if len(files) < 2:
        return "".join(f"Proved in `{file}` by {names[file]}" for file in files) or "Proved by no test"
    return "\n".join(["Proved by:", *(f"    - in `{file}`: {names[file]}" for file in files)])


def _about(name: str, path: str) -> str:
    home = reference_page(name)
    return f"`{name}`" if home is None else link(f"`{name}`", f"{home}#{name}", path)
