"""The contract as data, and the pages of it: its index, a page for each chapter, and the machine."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from finalturn._core.turn import IGNORED, Phase, Rule
from finalturn.contract import Clause, Family, Surface
from tests.contract._exemptions import EXEMPTIONS
from tools.contractdocs.evidence.model import EVERY_DRIVER, PROVIDERS
from tools.contractdocs.project import Project, full_name
from tools.contractdocs.render.page import LAYOUT, TEMPLATES, codes, page, parse, table

FORMAT = 1
"""Grows when a program that reads the file must change."""
EVERYWHERE = (Phase.FAILED.value, Phase.CANCELLED.value)
"""Phases that can be entered from nearly everywhere: words say from where, instead of arrows."""


def _proving_tests(files: Mapping[str, str]) -> Mapping[str, list[tuple[str, str]]]:
    """By id of a clause, the tests that carry it, by file and name, sorted."""
    found: dict[str, set[tuple[str, str]]] = {}
    for file, text in files.items():
        for node in parse(text).body if re.fullmatch(r"tests/contract/test_\w+\.py", file) else ():
            for decorator in getattr(node, "decorator_list", ()):
                if (call := ast.unparse(decorator)).startswith("proves("):
                    for constant in re.findall(r"\b[A-Z]\w+", call):
                        # A clause is exported under its id, in capitals.
                        clause = constant.lower().replace("_", "-")
                        found.setdefault(clause, set()).add((file, getattr(node, "name", "")))
    return {clause: sorted(tests) for clause, tests in found.items()}


def clause_path(clause: Clause) -> str:
    """The page and anchor of a clause, from docs/."""
    return f"contract/{clause.family.value.replace('_', '-')}.md#{clause.id}"


def about_paths(clause: Clause, project: Project) -> Iterator[str]:
    """The public names that a clause speaks of; the private name of what is not public."""
    for about in clause.about:
        symbol = project.public(about)
        home = about if isinstance(about, str) else full_name(about)
        yield home if symbol is None else symbol.path


def contract(project: Project) -> dict[str, Any]:
    """All of it, as JSON has it and as pages show it."""
    proving = _proving_tests(project.files)
    return {
        "format": FORMAT,
        "clauses": [
            {
                "id": clause.id,
                "family": clause.family.value,
                "since": clause.since,
                "stability": clause.stability,
                "surfaces": [surface.value for surface in Surface if surface in clause.surfaces],
                "statement": clause.statement,
                "why": clause.why,
                "about": list(about_paths(clause, project)),
                "kept_by": list(clause.kept_by),
                "decidable": clause.check is not None,
                "revised": clause.revised,
                "deprecation": asdict(clause.deprecation) if clause.deprecation else None,
                "tests": [{"file": file, "name": name} for file, name in proving.get(clause.id, ())],
                "rules": [rule.name for rule in project.table if clause.id in rule.upholds],
                "page": clause_path(clause),
            }
            for clause in project.clauses
        ],
        "rules": [_rule(rule) for rule in project.table],
    }


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "name": rule.name,
        "phase": rule.phase.value,
        "on": rule.on.__name__,
        "when": _words(rule.when),
        "to": rule.to.value,
        "updates": _words(rule.updates),
        "shows": _words(rule.shows),
        "does": _words(rule.does),
        "upholds": list(rule.upholds),
    }


def _words(functions: Iterable[Callable[..., object]]) -> list[str]:
    """What functions are called, as words: ``reuse_is_on`` reads "reuse is on"."""
    return [getattr(function, "__name__", "?").strip("_").replace("_", " ") for function in functions]


def contract_files(project: Project) -> dict[str, str]:
    """The pages, and the file for programs, by path from the root."""
    data = contract(project)
    found = {
        "docs/contract.json": json.dumps(data, indent=2, ensure_ascii=False) + "\n",
        "docs/contract/index.md": _index(data),
        "docs/contract/machine.md": _machine(data),
    }
    for family, (title, about) in LAYOUT["chapters"].items():
        clauses = [clause for clause in data["clauses"] if clause["family"] == family]
        description = f"To look up the promises on {about}."
        text = page("chapter.md", title, description, about=about, clauses=clauses, exempt=_exempt)
        found[f"docs/contract/{family.replace('_', '-')}.md"] = text
    return found


def _exempt(clause: str) -> list[tuple[str, str, str]]:
    """What a clause is not proved with: each reason once, the kinds of provider, and the surfaces."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in EXEMPTIONS:
        if one.clause.id == clause:
            # The ways to ask over HTTP differ in what they carry.
            through = f" through {codes(one.drivers)}" if one.surface is Surface.HTTP else ""
            kinds = "any kind of provider" if one.kinds == PROVIDERS else codes(one.kinds)
            found.setdefault((one.reason, kinds), []).append(f"`{one.surface}`{through}")
    return [(reason, kinds, ", ".join(surfaces)) for (reason, kinds), surfaces in found.items()]


def _index(data: Mapping[str, Any]) -> str:
    said = re.findall(r"^ +([A-Z]+): (.+)\.$", inspect.getdoc(Surface) or "", re.MULTILINE)
    about = {name: words.replace("``", "`") for name, words in said}
    return page(
        "contract.md",
        "The contract",
        "To see all that finalturn promises, and how each promise is proved.",
        families=[family.value for family in Family],
        clauses=data["clauses"],
        surfaces=[(surface.value, about.get(surface.name)) for surface in Surface],
        drivers=EVERY_DRIVER,
        providers=PROVIDERS,
    )


def _machine(data: Mapping[str, Any]) -> str:
    """The page of the turn's table. Its template draws the arrows; what they say comes from the table."""
    order = [phase.value for phase in Phase]
    arrows: dict[tuple[str, str], list[str]] = {}
    for rule in sorted(data["rules"], key=lambda rule: (order.index(rule["phase"]), order.index(rule["to"]))):
        arrows.setdefault((rule["phase"], rule["to"]), []).append(rule["name"])
    drawn = {pair: names for pair, names in arrows.items() if pair[1] not in EVERYWHERE}
    labels = {
        f"{one}_{to}": names[0] if len(names) == 1 else str(len(names)) for (one, to), names in drawn.items()
    }
    phases = {one for one, _ in arrows}
    for phase in EVERYWHERE:
        missing = [one for one in order if one in phases and (one, phase) not in arrows]
        labels[phase] = f"from all but {', '.join(missing)}" if missing else "from every phase"
    lost = labels.keys() - set(re.findall(r"labels\.(\w+)", (TEMPLATES / "machine.md").read_text("utf-8")))
    if lost:
        raise LookupError(f"the diagram in templates/machine.md has no arrow for {', '.join(sorted(lost))}")
    return page(
        "machine.md",
        "The machine",
        "To see which rule of a turn shows, does and upholds what.",
        wide=True,
        ways="; ".join(f"{one} to {to}" for one, to in drawn),
        labels=labels,
        phases=[
            (
                phase.value,
                LAYOUT["phases"][phase.name],
                [rule for rule in data["rules"] if rule["phase"] == phase.value],
                sorted((on.__name__, why) for (one, on), why in IGNORED.items() if one is phase),
            )
            for phase in Phase
        ],
        pages={clause["id"]: clause["page"].removeprefix("contract/") for clause in data["clauses"]},
    )


def clause_table(project: Project) -> str:
    """The clauses, one line each, for a block in a hand-written file."""
    rows = ((f"`{clause.id}`", clause.stability, clause.statement) for clause in project.clauses)
    return table(("clause", "level", "promise"), rows)
