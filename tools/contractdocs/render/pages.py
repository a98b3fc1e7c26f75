"""The generated pages and tables that stand alone: leaks, trace files, performance, changelog, profiles."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import griffe

from finalturn._contract.traces.file import FORMAT, fields_of_records, record_types
from finalturn._providers.openai_chat.profiles import PROFILES
from tools.contractdocs.api.model import entries
from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project
from tools.contractdocs.render.page import filled_in, page, quiet, table

LEAKS = "docs/contract/leak-matrix.md"

Leaks = Mapping[str, Mapping[str, str]]
"""What was shown, by what the model did and by mode."""


def leaks_page(leaks: Leaks) -> str:
    """The page."""
    modes = list(next(iter(leaks.values())))
    rows = ((name, *(cells[mode] for mode in modes)) for name, cells in leaks.items())
    return page(
        "leak-matrix.md",
        "The leak matrix",
        "To see what of the answer's JSON reaches a person, in each mode.",
        matrix=table(("what the model does", *(f"`{mode}`" for mode in modes)), rows),
    )


@cache
def run() -> Leaks:
    """Play every behaviour in every mode."""
    from tests.contract._behaviours import BEHAVIOURS, MODES  # only a run needs the tests

    with quiet():
        return {name: {mode: _cell(name, mode) for mode in MODES} for name in BEHAVIOURS}


def _cell(name: str, mode: str) -> str:
    from tests.contract._play import Play
    from tests.contract._scenes import SENTINEL
    from tests.contract.test_behaviours import play_behaviour

    try:
        observed = play_behaviour(Play("astream-asyncio", "streaming"), name, mode)
        status, content, events = observed.result.structured_status, observed.content, observed.events
    except Exception as error:  # the table says so, and so differs from the one that is committed
        return f"THE RUN FAILED: {type(error).__name__}"
    if status != "ok":
        return f"THE TURN ENDED {status}"
    shown = "shown" if SENTINEL in content else "not shown"
    return ", ".join([shown, *(f"then `{event}`" for event in events)])


TRACES = "docs/contract/trace-format.md"


def trace_page() -> str:
    """The page."""
    types = record_types()
    records = [_record(name, types[name], fields) for name, fields in fields_of_records().items()]
    return page(
        "trace-format.md",
        "Trace files",
        "To read or write a recorded turn.",
        format=FORMAT,
        records=records,
    )


def _record(
    name: str, kind: type[Any], fields: Mapping[str, str]
) -> tuple[str, str, list[tuple[str, str, str]]]:
    """A record's name, what it is, and of each field the name, the type in JSON and the meaning."""
    docstring = inspect.getdoc(kind) or ""
    about = griffe.Docstring(docstring).parse("google")[0].value
    meant = entries(docstring, "attributes")
    return name, about, [(one, json, meant.get(one, "").removesuffix(".")) for one, json in fields.items()]


FILE = "tools/bench/run.json"


def performance(template: str) -> Callable[[Project], str]:
    """A block that shows the bench's run."""
    return lambda project: filled_in(template, run=json.loads(project.files[FILE]), number=_number).strip()


def _number(figure: Mapping[str, Any]) -> str:
    """What was measured; "" where nothing was."""
    if not figure:
        return ""
    value = figure["median"]
    shown = f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return f"{shown} {figure['unit']}"


def changelog_page(project: Project) -> str:
    """The page: CHANGELOG.md, with its links to the docs made to fit."""
    body = re.sub(r"\]\((?:\./)?docs/", "](", project.files[CHANGELOG].partition("\n")[2]).strip()
    return page("_text.md", "Changelog", "To see what has changed, release by release.", text=body)


def profiles_table() -> str:
    """A row for each server that `OpenAIChat` knows by name, from the data that the provider itself reads."""
    return filled_in("_profiles.md", profiles=PROFILES).strip()
