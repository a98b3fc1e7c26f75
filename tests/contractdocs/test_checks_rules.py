"""Rules that show without a clause, clauses that nothing keeps, stray chunks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contractdocs._plant import PROJECT, planted

DRIVER = "src/finalturn/_agent/driver.py"


@pytest.mark.parametrize("code", ["FT20", "FT21", "FT24"])
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
    table = tuple(replace(rule, upholds=()) if rule.name == name else rule for rule in PROJECT.table)
    (found,) = planted("FT20", replace(PROJECT, table=table))
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


@pytest.mark.parametrize(("made", "name"), [("StreamChunk", ""), ("content_chunk", "Chunk")])
def test_a_chunk_that_no_rule_shows(made: str, name: str) -> None:
    imported = f"from finalturn._core.chunks import {made}{f' as {name}' if name else ''}"
    text = f"{PROJECT.files[DRIVER]}\n\n{imported}\nleak = {name or made}('text', 0)\n"
    assert planted("FT24", PROJECT.with_file(DRIVER, text)) == [
        f"{DRIVER}:{len(text.splitlines())} FT24 emission-outside-table: makes a chunk with {made}(...)"
        " -> let a rule of the turn's table show it"
    ]
    harmless = f"{PROJECT.files[DRIVER]}\n\n{imported}\n# {made}('text', 0)\nkind = {name or made}\n"
    assert planted("FT24", PROJECT.with_file(DRIVER, harmless)) == []
