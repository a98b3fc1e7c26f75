"""Rules that show without a clause, pairs that nobody decided on, rules that never match, stray chunks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn._core.turn import Phase, Rule, Table
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.project import Project

DRIVER = "src/finalturn/_agent/driver.py"


def rule(name: str) -> Rule:
    return next(one for one in PROJECT.table if one.name == name)


def with_table(table: Table) -> Project:
    return replace(PROJECT, table=table)


def changed(name: str, new: Rule) -> Project:
    return with_table(tuple(new if one.name == name else one for one in PROJECT.table))


def without(name: str) -> Project:
    return with_table(tuple(one for one in PROJECT.table if one.name != name))


@pytest.mark.parametrize("code", ["FT20", "FT21", "FT22", "FT23", "FT24"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loop-text-held", "shows content_past_the_hold"),
        ("synthesis-text", "decides that no TextDelta is shown"),
    ],
)
def test_a_rule_that_decides_what_is_shown_for_no_clause(name: str, said: str) -> None:
    (found,) = planted("FT20", changed(name, replace(rule(name), upholds=())))
    file, _, line = found.partition(" ")[0].partition(":")
    assert name in PROJECT.files[file].splitlines()[int(line) - 1]
    assert f'rule "{name}" {said}, and upholds no clause -> add it to UPHOLDS, or declare' in found


def test_a_clause_that_nothing_keeps() -> None:
    clause = next(one for one in PROJECT.clauses if one.id == "text-tool-calls-hidden")
    (found,) = planted("FT21", PROJECT.with_clause(replace(clause, kept_by=())))
    file, line = PROJECT.place_of_clause(clause.id)
    assert found.startswith(
        f"{file}:{line} FT21 clause-without-rule: text-tool-calls-hidden is upheld by no rule of the turn's"
        " table, and kept by no module -> add it to UPHOLDS with"
    )


class TestUndecidedPair:
    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("saved", "(SAVING, Saved) can happen, and is neither ruled nor ignored"),
            ("synthesize", "(CALLING, Judged) has a guard on its last rule: none may match"),
        ],
    )
    def test_a_rule_is_missing(self, name: str, said: str) -> None:
        (found,) = planted("FT22", without(name))
        assert f" FT22 undecided-pair: {said} -> add a rule, or a reason in IGNORED; " in found

    def test_a_rule_too_many(self) -> None:
        late = replace(rule("tool-returned"), name="late", phase=Phase.SAVING, to=Phase.SAVING)
        (found,) = planted("FT22", with_table((*PROJECT.table, late)))
        assert "(SAVING, ToolReturned) is ruled, and declared illegal" in found

    def test_an_input_that_is_new(self) -> None:
        class Paused:
            """New."""

        new = replace(rule("tool-returned"), name="paused", on=Paused)  # type: ignore[arg-type]
        found = planted("FT22", with_table((*PROJECT.table, new)))
        assert len(found) == len(Phase)
        assert all("Paused) is of an input that nobody has decided on" in line for line in found)


def test_a_rule_below_one_that_asks_for_less() -> None:
    project = changed("loop-text-suppressed", replace(rule("loop-text-suppressed"), when=()))
    assert [line.partition("FT23 unreachable-rule: ")[2] for line in planted("FT23", project)] == [
        f'rule "{name}" can never match: "loop-text-suppressed" above it has no guard -> move it up, or'
        " delete it"
        for name in ("loop-text-held", "loop-text")
    ]
    first = replace(rule("loop-text-held"), name="first")
    (found,) = planted("FT23", with_table((first, *PROJECT.table)))
    assert '"first" above it asks for no more than text_is_held' in found


@pytest.mark.parametrize("made", ["StreamChunk", "content_chunk"])
@pytest.mark.parametrize("name", ["", "Chunk"])
def test_a_chunk_that_no_rule_shows(made: str, name: str) -> None:
    imported = f"from finalturn._core.chunks import {made}{f' as {name}' if name else ''}"
    text = f"{PROJECT.files[DRIVER]}\n\n{imported}\nleak = {name or made}('text', 0)\n"
    assert planted("FT24", PROJECT.with_file(DRIVER, text)) == [
        f"{DRIVER}:{len(text.splitlines())} FT24 emission-outside-table: makes a chunk with {made}(...)"
        " -> let a rule of the turn's table show it"
    ]


def test_a_pattern_makes_no_chunk() -> None:
    code = "\n\ndef look(item):\n    match item:\n        case StreamChunk(content=text):\n            pass\n"
    assert planted("FT24", PROJECT.with_file(DRIVER, PROJECT.files[DRIVER] + code)) == []
