"""What changed since a release, and was not told, not allowed or not meant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from finalturn._core.turn.table import ClauseId
from finalturn.contract import Deprecation, Surface
from tests.contractdocs._plant import PROJECT, planted
from tests.contractdocs._released import (
    CHANGELOG,
    RELEASED,
    VERSION,
    baseline,
    clause,
    edited,
    noted,
    with_clause,
    with_field,
)
from tools.contractdocs.api.model import Api
from tools.contractdocs.baseline import ReleasedClause, load
from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project

CODES = [kind.code for kind in kinds() if kind.code.startswith("FT5")]
CHUNKS = "src/finalturn/_core/chunks.py"
CONFIG = "src/finalturn/_agent/config.py"
INIT = "src/finalturn/__init__.py"
CLAUSE = "result-is-last"
NEW = cast(ClauseId, "brand-new")
REPOSITORY = replace(PROJECT, baseline=load(PROJECT.files))


def the_only(code: str, project: Project) -> str:
    (found,) = planted(code, project)
    return found


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("project", [REPOSITORY, RELEASED], ids=["now", "right after a release"])
def test_nothing_is_found(code: str, project: Project) -> None:
    assert planted(code, project) == []


class TestClauses:
    @pytest.mark.parametrize(
        ("code", "changes", "said"),
        [
            ("FT51", {"since": "0.0.1"}, ", and says since 0.0.1 -> put "),
            ("FT52", {"surfaces": frozenset({Surface.RESULT})}, "lost surface"),
            ("FT52", {"statement": "A turn MAY end."}, "said MUST, and says MAY -> restore it; or deprecate"),
            ("FT53", {"statement": "A turn MUST end."}, 'it says: "A turn MUST end." -> set revised=NEXT'),
            ("FT53", {"revised": "NEXT"}, "says what it said in 9.0.0; revised was None, is NEXT"),
            ("FT57", {"stability": "beta"}, "was stable in 9.0.0, and is beta -> make it"),
            (
                "FT55",
                {"deprecation": Deprecation("8.0.0", "10.0.0")},
                "is newly deprecated, and says since 8.0.0",
            ),
            (
                "FT55",
                {"deprecation": Deprecation("NEXT", "9.5.0")},
                "is to go in 9.5.0, which is no major version",
            ),
            ("FT55", {"deprecation": Deprecation("NEXT", "9.0.0")}, "was to be gone in 9.0.0; this is 9.0.0"),
        ],
    )
    def test_a_change_that_is_not_allowed(self, code: str, changes: dict[str, Any], said: str) -> None:
        found = the_only(code, with_clause(CLAUSE, **changes))
        file, line = RELEASED.place_of_clause(CLAUSE)
        assert found.startswith(f"{file}:{line} {code} ") and said in found

    @pytest.mark.parametrize(
        ("code", "name", "changes"),
        [
            ("FT52", "held-json", {"surfaces": frozenset({Surface.CHUNKS})}),
            ("FT53", CLAUSE, {"statement": "A turn MUST end.", "revised": "NEXT"}),
            ("FT55", CLAUSE, {"deprecation": Deprecation("NEXT", "10.0.0")}),
        ],
    )
    def test_a_change_that_is_allowed(self, code: str, name: str, changes: dict[str, Any]) -> None:
        assert planted(code, with_clause(name, **changes)) == []

    def test_one_that_is_gone(self) -> None:
        project = replace(RELEASED, clauses=tuple(one for one in RELEASED.clauses if one.id != CLAUSE))
        found = the_only("FT52", project)
        assert found.startswith(f"tools/baseline/9.0.0.json:1 FT52 weakened: {CLAUSE}, stable since ")
        assert "is gone, and was not deprecated" in found

    def test_a_new_one_with_a_version_in_the_past(self) -> None:
        new = replace(clause(CLAUSE), id=NEW, since="0.1.0")
        found = the_only("FT50", replace(RELEASED, clauses=(*RELEASED.clauses, new)))
        said = (
            "brand-new is new, and says since 0.1.0; the last release, 9.0.0, did not have it -> since=NEXT"
        )
        assert said in found
        first = replace(with_clause(CLAUSE, since="0.1.0"), baseline=None)
        assert any("0.1.0; nothing was released yet" in line for line in planted("FT50", first))

    def test_an_id_that_was_used_before(self) -> None:
        project = replace(RELEASED, baseline=replace(baseline(), retired={CLAUSE: "2.0.0"}))
        assert f"{CLAUSE} was released once, and was gone in 2.0.0 -> take another id" in the_only(
            "FT5B", project
        )

    def test_a_deprecation_that_was_taken_back(self) -> None:
        old = ReleasedClause("0.1.0", "stable", (), clause(CLAUSE).statement, removal="10.0.0")
        project = replace(RELEASED, baseline=replace(baseline(), clauses={CLAUSE: old}))
        assert "was deprecated in 9.0.0, and no longer is -> restore the deprecation" in the_only(
            "FT55", project
        )

    def test_one_that_was_released_as_next(self) -> None:
        old = replace(baseline().clauses[CLAUSE], since="NEXT")
        project = replace(RELEASED, baseline=replace(baseline(), clauses={CLAUSE: old}))
        line = RELEASED.line_of(baseline().file, f'"{CLAUSE}"')
        assert the_only("FT5A", project).startswith(
            f"tools/baseline/9.0.0.json:{line} FT5A next-left-behind: {CLAUSE} was released in 9.0.0 as"
        )


@pytest.mark.parametrize(
    ("code", "file", "old", "new", "said"),
    [
        (
            "FT56",
            INIT,
            '= "9.0.0"',
            '= "9.0.1"',
            "__version__ is 9.0.1; pyproject.toml says 9.0.0 -> only make",
        ),
        (
            "FT56",
            "pyproject.toml",
            'version = "9.0.0"',
            'version = "9.1.0"',
            "9.1.0; the last release is 9.0.0",
        ),
        (
            "FT56",
            CHANGELOG,
            "## [9.0.0]",
            "## [9.1.0]",
            "its newest release is 9.1.0; the last release is 9.0.0",
        ),
        (
            "FT5C",
            CHANGELOG,
            "A first release",
            "The first release",
            f"what it says of {VERSION} is not what was",
        ),
        ("FT57", CHUNKS, "@stable(", "@beta(", "was stable in 9.0.0, and is beta"),
        ("FT51", CHUNKS, "@stable(since=", '@stable(since="0.0.1") #', "and says since 0.0.1"),
        ("FT59", CHANGELOG, "9.0.0] - 2026-01-31", "9.0.0]", '"[9.0.0]" is no title of a release'),
        (
            "FT59",
            CHANGELOG,
            "- 2026-01-31",
            "- 2026-13-31",
            '"[9.0.0] - 2026-13-31" is no title of a release',
        ),
    ],
)
def test_a_planted_drift(code: str, file: str, old: str, new: str, said: str) -> None:
    assert any(said in line for line in planted(code, edited(file, old, new)))


def test_a_baseline_that_was_edited_or_is_gone() -> None:
    file = baseline().file
    project = edited(file, '"stable"', '"beta"')
    project = replace(project, baseline=load(project.files))
    assert "it is not as make release wrote it -> restore it" in the_only("FT5D", project)
    project = replace(RELEASED.with_file(file, None), baseline=None)
    assert "9.0.0 is released, and tools/baseline has no release" in the_only("FT5D", project)


def test_a_limit_that_nobody_is_told_of() -> None:
    project = REPOSITORY.edited("src/finalturn/_tools/run.py", "MOST_AT_A_TIME = 16", "MOST_AT_A_TIME = 8")
    assert "FT5E limit-changed: parallel-tools was 16 in " in the_only("FT5E", project)
    told = "## [Unreleased]\n\n### Changed\n\n- 8 tools run at a time, and not 16.\n"
    assert planted("FT5E", project.edited(CHANGELOG, "## [Unreleased]\n", told)) == []


class TestWhatIsTold:
    def test_a_changed_clause(self) -> None:
        project = with_clause(CLAUSE, statement="A turn MUST end.", revised="NEXT")
        head = f"CHANGELOG.md:3 FT54 silent-changelog: {CLAUSE} has changed since the last release (it says"
        draft = f'-> below "Changed": `{CLAUSE}`: it says something else. Migration: TODO.'
        found = the_only("FT54", project)
        assert found.startswith(head) and "nothing under Changed names it" in found and found.endswith(draft)
        assert planted("FT54", noted(project, "Changed", f"`{CLAUSE}` is shorter. Migration: none.")) == []
        assert len(planted("FT54", noted(project, "Added", f"`{CLAUSE}` is shorter. Migration: none."))) == 1
        found = the_only("FT54", noted(project, "Changed", f"`{CLAUSE}` is shorter."))
        assert 'its line has no "Migration:"' in found

    def test_a_new_clause(self) -> None:
        project = replace(
            RELEASED, clauses=(*RELEASED.clauses, replace(clause(CLAUSE), id=NEW, since="NEXT"))
        )
        assert "(a new clause), and nothing under Added names it" in the_only("FT54", project)
        assert planted("FT54", noted(project, "Added", "The clause `brand-new`.")) == []

    def test_a_new_field(self) -> None:
        project = with_field("brisk: bool = False")
        assert planted("FT58", project) == [] == planted("FT50", project)
        assert 'below "Added": `StructuredOutputConfig.brisk`: a new field.' in the_only("FT54", project)
        assert planted("FT54", noted(project, "Added", "`brisk` of `StructuredOutputConfig`.")) == []

    @pytest.mark.parametrize(
        ("file", "old", "new", "said"),
        [
            (
                CONFIG,
                "    native: bool = True\n",
                "    brisk: bool = False\n    native: bool = True\n",
                "is stable in 9.0.0, and code that uses it breaks: by position it took",
            ),
            (
                "src/finalturn/_core/model.py",
                "    name: str\n    schema: Mapping",
                "    name: str\n    brisk: bool\n    schema: Mapping",
                "parameter brisk is new, and has no default",
            ),
            (
                CONFIG,
                "reuse_loop_answer: bool = True",
                "reuse_loop_answer: bool = False",
                "code that uses it breaks: its default was True, and is False -> undo; or deprecate it first",
            ),
        ],
    )
    def test_what_breaks(self, file: str, old: str, new: str, said: str) -> None:
        assert any(said in line for line in planted("FT58", edited(file, old, new)))

    def test_what_is_told_with_a_migration_may_break(self) -> None:
        project = edited(CONFIG, "reuse_loop_answer: bool = True", "reuse_loop_answer: bool = False")
        name = "StructuredOutputConfig.reuse_loop_answer"
        told = noted(project, "Changed", f"`{name}` is off. Migration: set it.")
        assert planted("FT58", told) == [] == planted("FT54", told)

    def test_a_default_of_a_beta_field_breaks_nothing_and_is_told(self) -> None:
        project = edited(CONFIG, "hold_json: bool = False", "hold_json: bool = True")
        assert planted("FT58", project) == []
        assert "(its default was False, and is True), and nothing under Changed or Removed" in the_only(
            "FT54", project
        )

    def test_a_function_that_is_gone_must_have_been_deprecated(self) -> None:
        left = Api({name: one for name, one in RELEASED.api.symbols.items() if name != "finalturn.tool"})
        project = replace(RELEASED)
        vars(project)["api"] = left
        assert "breaks: the function is gone, and was not deprecated -> undo" in the_only("FT58", project)
        old = replace(baseline().symbols["finalturn.tool"], deprecated="Use another.")
        released = replace(baseline(), symbols={**baseline().symbols, "finalturn.tool": old})
        project = replace(noted(RELEASED, "Removed", "`tool`. Migration: none."), baseline=released)
        vars(project)["api"] = left
        assert planted("FT58", project) == [] == planted("FT54", project)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("## [0.1.0] - 2026-01-01\n", "1 FT59 changelog-form: the first section is not [Unreleased]"),
            (
                "## [Unreleased]\n## [Unreleased]\n",
                "2 FT59 changelog-form: there are two sections [Unreleased]",
            ),
            ("## [Unreleased]\n\n### Fixes\n\n- A.\n", '3 FT59 changelog-form: "Fixes" is no sort of change'),
            ("## [Unreleased]\n\n### Added\n", '3 FT59 changelog-form: "Added" lists nothing'),
            (
                "## [Unreleased]\n\n### Added\n\n- A.\n\n### Added\n\n- B.\n",
                '7 FT59 changelog-form: "Added" stands twice in [Unreleased]',
            ),
            (
                "## [Unreleased]\n\n### Added\n\n- A. Migration:\n  TODO.\n",
                "5 FT59 changelog-form: a line still says",
            ),
            (
                "## [Unreleased]\n## [0.1.0] - 2026-01-02\n## [0.2.0] - 2026-01-03\n",
                "3 FT59 changelog-form: 0.2.0 stands below 0.1.0 -> put the newest first",
            ),
            (
                "## [Unreleased]\n## [0.2.0] - 2026-01-01\n## [0.1.0] - 2026-01-03\n",
                "2 FT59 changelog-form: 0.2.0 is of 2026-01-01, before 0.1.0, which is of 2026-01-03",
            ),
        ],
    )
    def test_the_form_of_the_changelog(self, text: str, said: str) -> None:
        assert the_only("FT59", RELEASED.with_file(CHANGELOG, text)).startswith(f"CHANGELOG.md:{said}")
