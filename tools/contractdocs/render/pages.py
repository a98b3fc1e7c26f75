"""The generated pages and tables that stand alone: leaks, trace files, performance, changelog, profiles."""

from __future__ import annotations

import inspect
import json
import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import griffe

from finalturn._contract.traces.file import FORMAT, fields_of_records, record_types
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import PROFILES
from tools.contractdocs.project import Project
from tools.contractdocs.render.page import items, page, table, words_of

LEAKS = "contract/leak-matrix.md"

Leaks = Mapping[str, Mapping[str, str]]
"""What was shown, by what the model did and by mode."""


def leaks_page(leaks: Leaks) -> str:
    """The page."""
    parts = [words_of("leaks_head"), leak_table(leaks), words_of("leaks_foot")]
    return page("The leak matrix", "To see what of the answer's JSON reaches a person, in each mode.", parts)


def leak_table(leaks: Leaks) -> str:
    """The matrix alone."""
    modes = list(next(iter(leaks.values())))
    rows = ((name, *(cells[mode] for mode in modes)) for name, cells in leaks.items())
    return table(("what the model does", *(f"`{mode}`" for mode in modes)), rows)


@cache
def run() -> Leaks:
    """Play every behaviour in every mode."""
    from tests.contract._behaviours import BEHAVIOURS, MODES  # only a run needs the tests

    before = logging.root.manager.disable
    logging.disable()
    try:
        return {name: {mode: _cell(name, mode) for mode in MODES} for name in BEHAVIOURS}
    finally:
        logging.disable(before)


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


TRACES = "contract/trace-format.md"


def trace_page(project: Project) -> str:
    """The page."""
    types = record_types()
    file = words_of("trace_file").replace("$format", str(FORMAT))
    parts = [words_of("trace_intro"), "## The file", file, "## The records"]
    for name, fields in fields_of_records().items():
        parts += _record(name, types[name], fields)
    return page("Trace files", "To read or write a recorded turn.", parts)


def _record(name: str, kind: type[Any], fields: dict[str, str]) -> Iterator[str]:
    words = griffe.Docstring(inspect.getdoc(kind) or "").parse("google")
    described: dict[str, str] = {}
    yield f"### {name}"
    for part in words:
        if isinstance(part, griffe.DocstringSectionText):
            yield part.value
        elif isinstance(part, griffe.DocstringSectionAttributes):
            described = {one.name: " ".join(one.description.split()).removesuffix(".") for one in part.value}
    if fields:
        yield items(_field(field, json, described.get(field, "")) for field, json in fields.items())


def _field(name: str, json: str, meaning: str) -> str:
    return f"`{name}`, {json}: {meaning}" if meaning else f"`{name}`, {json}"


FILE = "tools/bench/run.json"


def bounds_table(project: Project) -> str:
    """Each bounded piece of work: the bound, what was measured, and the same of other libraries."""
    run = _run(project)
    peers: list[str] = run["peers"]
    head = ("work", "bound", "finalturn", *peers)
    return table(head, (_row(section, figure, peers) for section, figure in _bounded(run)))


def layers_table(project: Project) -> str:
    """What each layer takes of a text delta."""
    figures = {figure["name"]: figure for figure in _run(project)["sections"]["layers"]["figures"]}
    rows = (
        (name, _number(figure), _number(figures[f"{name}, share"]))
        for name, figure in figures.items()
        if f"{name}, share" in figures
    )
    return table(("layer", "a delta", "share"), rows)


def machine_of_the_run(project: Project) -> str:
    """What the figures depend on, beside the code."""
    shown = {name: value for name, value in _run(project)["environment"].items() if name != "gc"}
    return items(f"{name}: {value}" for name, value in shown.items())


def _run(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.files[FILE])
    return found


def _bounded(run: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for section in run["sections"].values():
        for figure in section["figures"]:
            if figure["work"]:
                yield section, figure


def _row(section: dict[str, Any], figure: dict[str, Any], peers: list[str]) -> tuple[str, ...]:
    ratios = {one["name"]: one for one in section["figures"] if one["unit"] == figure["unit"] == "x"}
    found = (ratios.get(f"{peer} / raw") or ratios.get(f"raw / {peer}") for peer in peers)
    others = ("" if one is None else _number(one) for one in found)
    return figure["work"], f"{figure['bound']} {figure['unit']}", _number(figure), *others


def _number(figure: dict[str, Any]) -> str:
    value = figure["median"]
    shown = f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return f"{shown} {figure['unit']}"


SOURCE = "CHANGELOG.md"

_INTO_DOCS = re.compile(r"\]\((?:\./)?docs/")


def changelog_page(project: Project) -> str:
    """The page: CHANGELOG.md, with its links to the docs made to fit."""
    text = project.files[SOURCE]
    _, _, body = text.partition("\n")
    return page(
        "Changelog", "To see what has changed, release by release.", [_INTO_DOCS.sub("](", body).strip()]
    )


PROFILES_HEAD = ("server", "profile", "address", "the key is read from", "follows a schema", "has no")


def profiles_table() -> str:
    """A row for each server that `OpenAIChat` knows by name, from the data that the provider itself reads."""
    return table(PROFILES_HEAD, (_profile(name, profile) for name, profile in PROFILES.items()))


def _profile(name: str, profile: Profile) -> tuple[str, ...]:
    address = f"`{profile.base_url}`" if profile.base_url else f"the value of `{profile.base_variable}`"
    key = f"`{profile.key_variable}`" if profile.key_variable else "nowhere"
    if profile.key_variable and not profile.key_needed:
        key += ", if there is one"
    can = profile.capabilities
    follows = "beside tools, too" if can.native_schema_with_tools else "without tools"
    lacks = ", ".join(f"`{setting}`" for setting in sorted(profile.unsupported))
    schema = follows if can.native_schema else "no"
    return profile.name, f"`{name}`", address, key, schema, lacks
