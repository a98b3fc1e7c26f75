"""The pages of the contract: its index, a page for each chapter, and all of it for programs."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

from finalturn._core.turn import Rule
from finalturn.contract import Clause, Family, Surface
from tests.contract._exemptions import EXEMPTIONS
from tools.contractdocs.evidence.model import EVERY_DRIVER, PROVIDERS
from tools.contractdocs.project import Project, full_name
from tools.contractdocs.render.page import (
    LAYOUT,
    badge,
    items,
    link,
    page,
    parse,
    reference_page,
    table,
    words_of,
)


class ProvingTest(NamedTuple):
    """A test, by file and name."""

    file: str
    name: str


Proving = Mapping[str, tuple[ProvingTest, ...]]


def proving_tests(files: Mapping[str, str]) -> Proving:
    """By id of a clause, the tests that carry it, sorted."""
    found: dict[str, set[ProvingTest]] = {}
    for file, text in files.items():
        if not (file.startswith("tests/contract/test_") and file.endswith(".py")):
            continue
        for node in parse(text).body:
            for decorator in getattr(node, "decorator_list", ()):
                if (call := ast.unparse(decorator)).startswith("proves("):
                    for constant in re.findall(r"\b[A-Z]\w+", call):
                        # A clause is exported under its id, in capitals.
                        clause = constant.lower().replace("_", "-")
                        found.setdefault(clause, set()).add(ProvingTest(file, getattr(node, "name", "")))
    return {clause: tuple(sorted(tests)) for clause, tests in sorted(found.items())}


def family_path(family: Family) -> str:
    """The page of a chapter, from docs/."""
    return f"contract/{family.value.replace('_', '-')}.md"


def clause_path(clause: Clause) -> str:
    """The page and anchor of a clause, from docs/."""
    return f"{family_path(clause.family)}#{clause.id}"


def surfaces_of(clause: Clause) -> list[str]:
    """Its surfaces, in the order in which they are declared."""
    return [surface.value for surface in Surface if surface in clause.surfaces]


def clause_pages(project: Project) -> dict[str, str]:
    """Every chapter's page, by its path from the root."""
    proving = proving_tests(project.files)
    return {f"docs/{family_path(family)}": _page(family, project, proving) for family in Family}


def _page(family: Family, project: Project, proving: Proving) -> str:
    title, about = LAYOUT["chapters"][family.value]
    path = family_path(family)
    clauses = [clause for clause in project.clauses if clause.family is family]
    parts = [f"The clauses on {about}. {link('What a clause is', 'contract/index.md', path)}."]
    for clause in clauses:
        parts += _section(clause, path, project, proving.get(clause.id, ()))
    return page(title, f"To look up the promises on {about}.", parts)


def _section(clause: Clause, path: str, project: Project, tests: Sequence[ProvingTest]) -> Iterator[str]:
    yield f"## {clause.id}"
    revised = f", revised {clause.revised}" if clause.revised else ""
    yield f'<p class="ft-level">{badge(clause.stability, clause.since)}{revised}</p>'
    yield clause.statement
    yield f"*Why:* {clause.why}"
    if gone := clause.deprecation:
        use = f" [{gone.use}](#{gone.use}) takes its place." if gone.use else ""
        yield f'!!! warning "Deprecated since {gone.since}"\n    It will be gone in {gone.removal}.{use}'
    yield items(_facts(clause, path, project, tests))


def _facts(clause: Clause, path: str, project: Project, tests: Sequence[ProvingTest]) -> Iterator[str]:
    yield f"Seen on: {', '.join(f'`{surface}`' for surface in surfaces_of(clause))}"
    if clause.about:
        yield f"About: {', '.join(_about(name, path) for name in about_paths(clause, project))}"
    yield _proved(tests)
    yield from _exempt(clause)
    rules = [rule.name for rule in project.table if clause.id in rule.upholds]
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
        which = "any kind of provider" if kinds == PROVIDERS else _codes(kinds)
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


def about_paths(clause: Clause, project: Project) -> Iterator[str]:
    """The public names that a clause speaks of; the private name of what is not public."""
    for about in clause.about:
        symbol = project.public(about)
        home = about if isinstance(about, str) else full_name(about)
        yield home if symbol is None else symbol.path


PATH = "contract/index.md"


def index_page(project: Project) -> str:
    """The page."""
    ways, kinds = EVERY_DRIVER, PROVIDERS
    parts = [
        words_of("contract_intro"),
        "## All clauses",
        *_families(project),
        "## Surfaces",
        items(_described([surface.value for surface in Surface], _surfaces())),
        "## How a clause is proved",
        words_of("contract_proof"),
        f"There are {len(ways)} ways to drive a turn:",
        items(_described(ways, LAYOUT["drivers"])),
        f"and {len(kinds)} kinds of provider, so {len(ways) * len(kinds)} pairs of the two:",
        items(_described(kinds, LAYOUT["providers"])),
        f"{link('The leak matrix', 'contract/leak-matrix.md', PATH)} is one such run, shown as a table.",
        "## For programs",
        words_of("contract_json"),
    ]
    return page("The contract", "To see all that finalturn promises, and how each promise is proved.", parts)


def clause_table(project: Project) -> str:
    """The clauses, one line each, for a block in a hand-written file."""
    rows = ((f"`{clause.id}`", clause.stability, clause.statement) for clause in project.clauses)
    return table(("clause", "level", "promise"), rows)


def _families(project: Project) -> Iterator[str]:
    for family in Family:
        title, about = LAYOUT["chapters"][family.value]
        yield f"### {link(title, family_path(family), PATH)}"
        yield f"{about[0].upper()}{about[1:]}."
        yield table(
            ("clause", "promise"),
            (_row(clause) for clause in project.clauses if clause.family is family),
        )


def _surfaces() -> dict[str, str]:
    """What each surface is, as the docstring of `Surface` says it."""
    said = re.findall(r"^ +([A-Z]+): (.+)\.$", inspect.getdoc(Surface) or "", re.MULTILINE)
    return {
        Surface[name].value: words.replace("``", "`") for name, words in said if name in Surface.__members__
    }


def _row(clause: Clause) -> tuple[str, str]:
    name = link(clause.id, clause_path(clause), PATH)
    return f"{name}<br>{badge(clause.stability, clause.since)}", clause.statement


def _described(names: Sequence[str], words: Mapping[str, str]) -> Iterator[str]:
    return (f"`{name}`: {words[name]}" if name in words else f"`{name}`" for name in names)


FORMAT = 1
"""Grows when a program that reads the file must change."""


def contract_json(project: Project) -> str:
    """The file."""
    proving = proving_tests(project.files)
    content = {
        "format": FORMAT,
        "clauses": [_as_json(clause, project, proving) for clause in project.clauses],
        "rules": [as_json(rule) for rule in project.table],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _as_json(clause: Clause, project: Project, proving: Proving) -> dict[str, object]:
    return {
        "id": clause.id,
        "family": clause.family.value,
        "since": clause.since,
        "stability": clause.stability,
        "surfaces": surfaces_of(clause),
        "statement": clause.statement,
        "why": clause.why,
        "about": list(about_paths(clause, project)),
        "kept_by": list(clause.kept_by),
        "decidable": clause.check is not None,
        "revised": clause.revised,
        "deprecation": asdict(clause.deprecation) if clause.deprecation else None,
        "tests": [{"file": test.file, "name": test.name} for test in proving.get(clause.id, ())],
        "rules": [rule.name for rule in project.table if clause.id in rule.upholds],
        "page": clause_path(clause),
    }


def words(functions: Iterable[Callable[..., object]]) -> list[str]:
    """What functions are called, as words: ``reuse_is_on`` reads "reuse is on"."""
    return [getattr(function, "__name__", "?").strip("_").replace("_", " ") for function in functions]


def as_json(rule: Rule) -> dict[str, object]:
    """A rule for programs."""
    return {
        "name": rule.name,
        "phase": rule.phase.value,
        "on": rule.on.__name__,
        "when": words(rule.when),
        "to": rule.to.value,
        "updates": words(rule.updates),
        "shows": words(rule.shows),
        "does": words(rule.does),
        "upholds": list(rule.upholds),
    }
