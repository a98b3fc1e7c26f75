"""What changed since a release, and was not told, not allowed or not meant."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from finalturn.contract import Deprecation, Surface
from finalturn.core.clauses import ClauseId
from tests.contractdocs._plant import PROJECT, planted
from tests.contractdocs._released import (
    CHANGELOG,
    RELEASED,
    baseline,
    clause,
    edited,
    with_clause,
)
from tools.contractdocs.baseline import ReleasedClause, load
from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project

CODES = [kind.code for kind in kinds() if kind.code.startswith("FT5")]
CHUNKS = "src/finalturn/core/chunks.py"
CONFIG = "src/finalturn/agent/_config.py"
RESULT = "src/finalturn/core/result.py"
CLAUSE = "result-is-last"
NEW = cast(ClauseId, "brand-new")


def place(name: str) -> str:
    """File and line of a clause."""
    file, line = RELEASED.place_of_clause(name)
    return f"{file}:{line}"


def symbol_place(path: str, project: Project = RELEASED) -> str:
    symbol = project.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


@pytest.mark.parametrize("code", CODES)
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, replace(PROJECT, baseline=load(PROJECT.files))) == []


@pytest.mark.parametrize("code", CODES)
def test_the_repository_right_after_a_release(code: str) -> None:
    assert planted(code, RELEASED) == []


class TestSince:
    def test_of_a_new_clause(self) -> None:
        new = replace(clause(CLAUSE), id=NEW, since="0.1.0")
        project = replace(RELEASED, clauses=(*RELEASED.clauses, new))
        assert planted("FT50", project) == [
            "src/finalturn/contract/__init__.py:1 FT50 since-in-the-past: brand-new is new, and says"
            " since 0.1.0;"
            " the last release, 9.0.0, did not have it -> since=NEXT; make release fills the version in"
        ]

    def test_of_a_new_name(self) -> None:
        new = '\n\n@stable(since="9.0.0")\nclass Other(StrEnum):\n    """Another."""\n'
        project = edited(CHUNKS, '__all__ = ["', '__all__ = ["Other", "')
        project = project.with_file(CHUNKS, project.files[CHUNKS] + new)
        project = project.edited(
            "src/finalturn/__init__.py", "import StreamChunk", "import Other, StreamChunk"
        )
        project = project.edited(
            "src/finalturn/__init__.py", '    "OutputSchema",', '    "Other",\n    "OutputSchema",'
        )
        assert planted("FT50", project) == [
            f"{symbol_place('finalturn.Other', project)} FT50 since-in-the-past: finalturn.Other is"
            " new, and says"
            " since 9.0.0; the last release, 9.0.0, did not have it"
            " -> since=NEXT; make release fills the version in"
        ]

    def test_before_the_first_release(self) -> None:
        project = replace(with_clause(CLAUSE, since="0.1.0"), baseline=None)
        assert (
            f"{place(CLAUSE)} FT50 since-in-the-past: {CLAUSE} is new, and says since 0.1.0; nothing"
            " was released"
            " yet -> since=NEXT; make release fills the version in"
        ) in planted("FT50", project)

    def test_of_a_clause_that_moved(self) -> None:
        since = clause(CLAUSE).since
        assert planted("FT51", with_clause(CLAUSE, since="0.0.1")) == [
            f"{place(CLAUSE)} FT51 since-moved: {CLAUSE} was released as since {since}, and says since 0.0.1"
            f" -> put {since} back"
        ]

    def test_of_a_name_that_moved(self) -> None:
        since = RELEASED.api.symbols["finalturn.StreamChunk"].since
        project = edited(
            CHUNKS, f'(since="{since}")\nclass StreamEvent', '(since="0.0.1")\nclass StreamEvent'
        )
        moved = f"was released as since {since}, and says since 0.0.1 -> put {since} back"
        assert planted("FT51", project)[0] == (
            f"{symbol_place('finalturn.StreamEvent')} FT51 since-moved: finalturn.StreamEvent {moved}"
        )

    def test_that_was_released_as_next(self) -> None:
        old = replace(baseline().clauses[CLAUSE], since="NEXT")
        project = replace(RELEASED, baseline=replace(baseline(), clauses={CLAUSE: old}))
        line = RELEASED.line_of(baseline().file, f'"{CLAUSE}"')
        assert planted("FT5A", project) == [
            f"tools/baseline/9.0.0.json:{line} FT5A next-left-behind: {CLAUSE} was released in 9.0.0 as"
            " since NEXT"
            " -> release with make release, which fills it in; mend the baseline by releasing again"
        ]


class TestClauses:
    def test_a_surface_that_is_lost(self) -> None:
        surfaces = clause(CLAUSE).surfaces
        gone = min(surfaces)
        since = clause(CLAUSE).since
        assert planted("FT52", with_clause(CLAUSE, surfaces=surfaces - {gone})) == [
            f"{place(CLAUSE)} FT52 weakened: {CLAUSE}, stable since {since}, lost surface {gone.value}"
            " -> restore"
            " it; or deprecate the clause first, and promise the weaker one under a new id"
        ]

    def test_a_weaker_word(self) -> None:
        statement = clause("never-repaired").statement.replace("MUST NOT", "MAY")
        assert planted("FT52", with_clause("never-repaired", statement=statement)) == [
            f"{place('never-repaired')} FT52 weakened: never-repaired, stable since"
            f" {clause('never-repaired').since}, said MUST NOT, and says MAY -> restore it; or deprecate the"
            " clause first, and promise the weaker one under a new id"
        ]

    def test_a_clause_that_is_gone(self) -> None:
        project = replace(RELEASED, clauses=tuple(one for one in RELEASED.clauses if one.id != CLAUSE))
        assert planted("FT52", project) == [
            f"tools/baseline/9.0.0.json:1 FT52 weakened: {CLAUSE}, stable since {clause(CLAUSE).since},"
            " is gone,"
            " and was not deprecated -> restore it; or deprecate the clause first, and promise the weaker one"
            " under a new id"
        ]

    def test_a_beta_clause_may_lose_a_surface(self) -> None:
        assert planted("FT52", with_clause("held-json", surfaces=frozenset({Surface.CHUNKS}))) == []

    def test_another_wording(self) -> None:
        project = with_clause(CLAUSE, statement="A turn MUST end.")
        assert planted("FT53", project) == [
            f'{place(CLAUSE)} FT53 reworded: {CLAUSE} said in 9.0.0: "{clause(CLAUSE).statement}"; it says:'
            ' "A turn MUST end." -> set revised=NEXT, read its tests again, and name it in the'
            " changelog; or undo"
        ]
        assert planted("FT53", with_clause(CLAUSE, statement="A turn MUST end.", revised="NEXT")) == []

    def test_a_revision_that_is_none(self) -> None:
        assert planted("FT53", with_clause(CLAUSE, revised="NEXT")) == [
            f"{place(CLAUSE)} FT53 reworded: {CLAUSE} says what it said in 9.0.0; revised was None, is NEXT"
            " -> undo"
        ]

    def test_a_level_that_fell(self) -> None:
        assert planted("FT57", with_clause(CLAUSE, stability="beta")) == [
            f"{place(CLAUSE)} FT57 demoted: {CLAUSE} was stable in 9.0.0, and is beta"
            " -> make it stable again, or deprecate it"
        ]

    def test_a_level_of_a_name_that_fell(self) -> None:
        since = RELEASED.api.symbols["finalturn.StreamEvent"].since
        project = edited(
            CHUNKS,
            f'@stable(since="{since}")\nclass StreamEvent',
            f'@beta(since="{since}")\nclass StreamEvent',
        )
        assert planted("FT57", project)[0] == (
            f"{symbol_place('finalturn.StreamEvent')} FT57 demoted: finalturn.StreamEvent was stable in"
            " 9.0.0, and"
            " is beta -> make it stable again, or deprecate it"
        )

    def test_an_id_that_was_used_before(self) -> None:
        project = replace(RELEASED, baseline=replace(baseline(), retired={CLAUSE: "2.0.0"}))
        assert planted("FT5B", project) == [
            f"{place(CLAUSE)} FT5B reused-id: {CLAUSE} was released once, and was gone in 2.0.0"
            " -> take another id; ids are not used again"
        ]


class TestDeprecation:
    def old(self, removal: str) -> Project:
        old = ReleasedClause("0.1.0", "stable", (), clause(CLAUSE).statement, removal=removal)
        return replace(RELEASED, baseline=replace(baseline(), clauses={CLAUSE: old}))

    def test_that_is_overdue(self) -> None:
        project = self.old("9.0.0").with_clause(
            replace(clause(CLAUSE), deprecation=Deprecation(since="8.0.0", removal="9.0.0"))
        )
        assert planted("FT55", project) == [
            f"{place(CLAUSE)} FT55 overdue: {CLAUSE} is deprecated, and was to be gone in 9.0.0; this"
            " is 9.0.0"
            " -> remove it, or name a later version"
        ]

    def test_that_was_taken_back(self) -> None:
        assert planted("FT55", self.old("10.0.0")) == [
            f"{place(CLAUSE)} FT55 overdue: {CLAUSE} was deprecated in 9.0.0, and no longer is -> restore the"
            " deprecation; a promise that was taken back comes under a new id"
        ]

    @pytest.mark.parametrize(
        ("since", "removal", "said"),
        [
            ("8.0.0", "10.0.0", "is newly deprecated, and says since 8.0.0 -> since=NEXT"),
            (
                "NEXT",
                "9.5.0",
                "is stable, and is to go in 9.5.0, which is no major version -> name a major version",
            ),
        ],
    )
    def test_that_is_new(self, since: str, removal: str, said: str) -> None:
        project = with_clause(CLAUSE, deprecation=Deprecation(since=since, removal=removal))
        assert planted("FT55", project) == [f"{place(CLAUSE)} FT55 overdue: {CLAUSE} {said}"]

    def test_that_is_right(self) -> None:
        assert (
            planted("FT55", with_clause(CLAUSE, deprecation=Deprecation(since="NEXT", removal="10.0.0")))
            == []
        )


class TestVersions:
    def test_of_the_package(self) -> None:
        project = edited("src/finalturn/__init__.py", '= "9.0.0"', '= "9.0.1"')
        line = RELEASED.line_of("src/finalturn/__init__.py", "__version__ =")
        assert planted("FT56", project) == [
            f"src/finalturn/__init__.py:{line} FT56 version-mismatch: __version__ is 9.0.1;"
            " pyproject.toml says"
            " 9.0.0 -> only make release sets versions; undo the change"
        ]

    def test_of_the_project(self) -> None:
        project = edited("pyproject.toml", 'version = "9.0.0"', 'version = "9.1.0"')
        line = RELEASED.line_of("pyproject.toml", 'version = "9.0.0"')
        assert planted("FT56", project)[1] == (
            f"pyproject.toml:{line} FT56 version-mismatch: the version is 9.1.0; the last release is 9.0.0"
            " -> only make release sets versions; undo the change"
        )

    def test_of_the_changelog(self) -> None:
        project = edited(CHANGELOG, "## [9.0.0]", "## [9.1.0]")
        assert planted("FT56", project) == [
            "CHANGELOG.md:5 FT56 version-mismatch: its newest release is 9.1.0; the last release is 9.0.0"
            " -> only make release sets versions; undo the change"
        ]

    def test_a_baseline_that_was_edited(self) -> None:
        file = baseline().file
        project = edited(file, '"stable"', '"beta"')
        project = replace(project, baseline=load(project.files))
        assert planted("FT5D", project) == [
            f"{file}:1 FT5D baseline-edited: it is not as make release wrote it"
            " -> restore it; only make release writes it"
        ]

    def test_a_baseline_that_is_gone(self) -> None:
        project = replace(RELEASED.with_file(baseline().file, None), baseline=None)
        assert planted("FT5D", project) == [
            "CHANGELOG.md:5 FT5D baseline-edited: 9.0.0 is released, and tools/baseline has no release"
            " -> restore it; only make release writes it"
        ]


class TestLimits:
    def changed(self, said: str = "") -> Project:
        file = "src/finalturn/tools/_run.py"
        project = history_of(PROJECT).edited(file, "MOST_AT_A_TIME = 16", "MOST_AT_A_TIME = 8")
        return project.edited("CHANGELOG.md", "## [Unreleased]\n", f"## [Unreleased]\n{said}")

    def test_a_limit_that_nobody_is_told_of(self) -> None:
        project = self.changed()
        line = project.line_of("CHANGELOG.md", "## [Unreleased]")
        version = project.baseline.version if project.baseline else ""
        assert planted("FT5E", project) == [
            f"CHANGELOG.md:{line} FT5E limit-changed: parallel-tools was 16 in {version}, and is 8"
            " -> undo; or say so below Changed, with both"
        ]

    def test_one_that_the_changelog_tells(self) -> None:
        assert planted("FT5E", self.changed("\n### Changed\n\n- 8 tools run at a time, and not 16.\n")) == []

    def test_the_repository_as_it_is(self) -> None:
        assert planted("FT5E", history_of(PROJECT)) == []


def history_of(project: Project) -> Project:
    return replace(project, baseline=load(project.files))
