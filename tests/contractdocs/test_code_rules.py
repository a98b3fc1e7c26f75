"""Rules that show without a clause, pairs that nobody decided on, rules that never match."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn._core.turn import Phase, Rule, Table, ToolReturned
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import TABLE, place_of_rule


def rule(name: str) -> Rule:
    return next(one for one in PROJECT.table if one.name == name)


def with_table(table: Table) -> Project:
    return replace(PROJECT, table=table)


def changed(name: str, new: Rule) -> Project:
    return with_table(tuple(new if one.name == name else one for one in PROJECT.table))


def without(*names: str) -> Project:
    return with_table(tuple(one for one in PROJECT.table if one.name not in names))


def place(name: str) -> str:
    file, line = place_of_rule(PROJECT, name)
    assert f'"{name}"' in PROJECT.files[file].splitlines()[line - 1]
    return f"{file}:{line}"


@pytest.mark.parametrize("code", ["FT20", "FT21", "FT22", "FT23", "FT28", "FT2B"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestPlaceOfRule:
    def test_of_a_rule_that_is_written_out(self) -> None:
        file, line = place_of_rule(PROJECT, "loop-text")
        assert file == TABLE
        assert PROJECT.files[file].splitlines()[line - 1].strip().startswith('Rule("loop-text", ')

    def test_of_one_for_each_phase(self) -> None:
        file, line = place_of_rule(PROJECT, "saving-failed")
        assert (
            PROJECT.files[file].splitlines()[line - 1].strip().startswith('*(Rule(f"{phase.value}-failed", ')
        )

    def test_of_one_that_is_nowhere(self) -> None:
        assert place_of_rule(PROJECT, "nowhere") == (TABLE, 1)


class TestUnclaimedVisibility:
    def test_of_a_rule_that_shows(self) -> None:
        project = changed("loop-text-held", replace(rule("loop-text-held"), upholds=()))
        assert planted("FT20", project) == [
            f'{place("loop-text-held")} FT20 unclaimed-visibility: rule "loop-text-held" shows'
            " content_past_the_hold, and upholds no clause -> add it to UPHOLDS, or declare the clause that"
            " it keeps"
        ]

    def test_of_a_rule_that_hides(self) -> None:
        project = changed("synthesis-text", replace(rule("synthesis-text"), upholds=()))
        assert planted("FT20", project) == [
            f'{place("synthesis-text")} FT20 unclaimed-visibility: rule "synthesis-text" decides that no'
            " TextDelta is shown, and upholds no clause -> add it to UPHOLDS, or declare the clause that it"
            " keeps"
        ]


def test_clause_without_rule() -> None:
    clause = next(one for one in PROJECT.clauses if one.id == "text-tool-calls-hidden")
    file, line = PROJECT.place_of_clause(clause.id)
    assert planted("FT21", PROJECT.with_clause(replace(clause, kept_by=()))) == [
        f"{file}:{line} FT21 clause-without-rule: text-tool-calls-hidden is upheld by no rule of the turn's"
        " table, and kept by no module -> add it to UPHOLDS with the rules that keep it, or name the module"
        " in kept_by"
    ]


class TestUndecidedPair:
    DO = (
        "add a rule, or a reason in IGNORED; what cannot happen stands in EXPECTED and MAY_REFUSE of"
        " tools/contractdocs/kinds/code_rules.py"
    )
    TABLE = f"{TABLE}:{PROJECT.line_of(TABLE, 'RULES: Table = (')}"

    def test_a_rule_is_missing(self) -> None:
        assert planted("FT22", without("saved")) == [
            f"{self.TABLE} FT22 undecided-pair: (SAVING, Saved) can happen, and is neither ruled nor ignored"
            f" -> {self.DO}"
        ]

    def test_a_rule_too_many(self) -> None:
        late = replace(rule("tool-returned"), name="late", phase=Phase.SAVING, to=Phase.SAVING)
        project = with_table((*PROJECT.table, late))
        assert planted("FT22", project) == [
            f"{TABLE}:1 FT22 undecided-pair: (SAVING, ToolReturned) is ruled, and declared illegal ->"
            f" {self.DO}"
        ]

    def test_the_last_rule_has_a_guard(self) -> None:
        assert planted("FT22", without("synthesize")) == [
            f"{place('ask-predicate')} FT22 undecided-pair: (CALLING, Judged) has a guard on its last rule:"
            f" none may match -> {self.DO}"
        ]

    def test_an_input_that_is_new(self) -> None:
        class Paused:
            """New."""

        new = replace(rule("tool-returned"), name="paused", on=Paused)  # type: ignore[arg-type]
        found = planted("FT22", with_table((*PROJECT.table, new)))
        assert len(found) == len(Phase)
        assert (
            f"{TABLE}:1 FT22 undecided-pair: (RUNNING, Paused) is of an input that nobody has decided on ->"
            f" {self.DO}"
        ) in found

    def test_inputs_that_may_be_refused(self) -> None:
        assert rule("tool-returned").on is ToolReturned
        assert rule("tool-returned").when


def test_unreachable_rule() -> None:
    project = changed("loop-text-suppressed", replace(rule("loop-text-suppressed"), when=()))
    assert planted("FT23", project) == [
        f'{place(name)} FT23 unreachable-rule: rule "{name}" can never match: "loop-text-suppressed" above it'
        " has no guard -> move it up, or delete it"
        for name in ("loop-text-held", "loop-text")
    ]


def test_unreachable_rule_with_a_guard() -> None:
    first = replace(rule("loop-text-held"), name="first")
    assert planted("FT23", with_table((first, *PROJECT.table))) == [
        f'{place("loop-text-held")} FT23 unreachable-rule: rule "loop-text-held" can never match: "first"'
        " above it asks for no more than text_is_held -> move it up, or delete it"
    ]


def test_unknown_upholds() -> None:
    new = replace(rule("saved"), upholds=("result-is-lost",))  # type: ignore[arg-type]
    assert planted("FT28", changed("saved", new)) == [
        f'{place("saved")} FT28 unknown-upholds: rule "saved" upholds result-is-lost, which no clause'
        " declares -> name a clause of finalturn.contract"
    ]


def test_rule_named_twice() -> None:
    project = with_table((*PROJECT.table, rule("saved")))
    assert planted("FT2B", project) == [
        f'{place("saved")} FT2B rule-named-twice: another rule above is called "saved" too -> give each'
        " rule a name of its own"
    ]
