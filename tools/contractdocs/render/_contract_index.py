"""The first page of the contract: what a clause is, how it is proved, and all of them in one table."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping

from finalturn.contract import Clause, Family, Surface
from tools.contractdocs.project import Project
from tools.contractdocs.render._clause_pages import ABOUT, clause_path, family_path
from tools.contractdocs.render._page import badge, items, link, page, table
from tools.contractdocs.render.values import drivers, provider_kinds, surfaces

PATH = "contract/index.md"

INTRO = """\
What you may rely on. A *clause* is one promise, with an id that never changes:

- Its **statement** says it, with exactly one MUST, MUST NOT or MAY.
- Its **level** says how long it is kept. A *stable* clause is kept until a major release. A *beta* one may
  change in a minor release, with a line in the [changelog](../changelog.md).
- **Since** is the version that first made it. `NEXT` stands for the next release.
- Its **surfaces** are where it can be seen.

Each clause is declared once, in code, as a constant of [`finalturn.contract`](../reference/contract.md).
These pages, the docstrings, `AGENT.md` and [contract.json](../contract.json) are generated from it."""

PROOF = """\
A promise is proved by tests that name it, and each test is run once for every way to drive a turn and every
kind of provider. What counts is the run: a proof that was skipped, or that looked at nothing, fails the
check. The turn itself is [a table of rules](machine.md), and each rule names the clauses that it upholds.
The check breaks every rule in every way that it can, and wants a test of one of these clauses to fail."""

JSON = """\
[contract.json](../contract.json) has the same for programs. `clauses` is a list in the order of this page;
each entry has `id`, `family`, `since`, `stability`, `surfaces`, `statement`, `why`, `about` (public names),
`kept_by` (modules), `decidable` (whether a recorded turn can decide it), `revised`, `deprecation`, `tests`
(`file` and `name`), `rules` (names) and `page`. `rules` lists the table: `name`, `phase`, `on`, `when`,
`to`, `updates`, `shows`, `does` and `upholds`."""

DRIVERS: Mapping[str, str] = {
    "stream": "`Agent.stream`, from synchronous code",
    "astream-asyncio": "`Agent.astream`, on asyncio",
    "astream-trio": "`Agent.astream`, on trio",
    "run": "`Agent.run` with a stream handler, from synchronous code",
    "arun-asyncio": "`Agent.arun` with a stream handler, on asyncio",
    "arun-trio": "`Agent.arun` with a stream handler, on trio",
    "http-stream": "`POST /v1/chat/stream` of a served agent: the native stream",
    "http-chat": "`POST /v1/chat` of a served agent: the whole answer",
    "ag-ui": "`POST /ag-ui` of a served agent: events of AG-UI",
    "ai-sdk": "`POST /ai-sdk` of a served agent: the AI SDK's UI message stream",
}
KINDS: Mapping[str, str] = {
    "streaming": "it streams, asynchronously",
    "whole-reply": "it answers as a whole, asynchronously",
    "sync-whole-reply": "it answers as a whole, from a plain function",
    "sync-stream": "it streams, from a plain iterator",
    "http": "`OpenAIChat`, against a scripted server on this machine",
}


def index_page(project: Project) -> str:
    """The page."""
    ways, kinds = drivers(project), provider_kinds(project)
    parts = [
        INTRO,
        "## All clauses",
        *_families(project),
        "## Surfaces",
        items(_described(surfaces(project), _surfaces())),
        "## How a clause is proved",
        PROOF,
        f"There are {len(ways)} ways to drive a turn:",
        items(_described(ways, DRIVERS)),
        f"and {len(kinds)} kinds of provider, so {len(ways) * len(kinds)} pairs of the two:",
        items(_described(kinds, KINDS)),
        f"{link('The leak matrix', 'contract/leak-matrix.md', PATH)} is one such run, shown as a table.",
        "## For programs",
        JSON,
    ]
    return page("The contract", "To see all that finalturn promises, and how each promise is proved.", parts)


def clause_table(project: Project) -> str:
    """The clauses, one line each, for a block in a hand-written file."""
    rows = ((f"`{clause.id}`", clause.stability, clause.statement) for clause in project.clauses)
    return table(("clause", "level", "promise"), rows)


def _families(project: Project) -> Iterator[str]:
    for family in Family:
        title, about = ABOUT[family]
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


def _described(names: tuple[str, ...], words: Mapping[str, str]) -> Iterator[str]:
    return (f"`{name}`: {words[name]}" if name in words else f"`{name}`" for name in names)
