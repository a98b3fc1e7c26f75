"""What changed since a release, and was not told, not allowed or not meant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from finalturn._core.turn.table import ClauseId
from finalturn.contract import Deprecation, Surface
from tests.contractdocs._plant import PROJECT, Planted, planted
from tests.contractdocs._small import CHANGELOG, INIT, PART, RELEASED, clause, noted, release_of, with_clause
from tools.contractdocs.baseline import Baseline, ReleasedClause, load
from tools.contractdocs.checks import kinds

CODES = [kind.code for kind in kinds() if kind.code.startswith("FT5")]
CLAUSE = "result-is-last"
NEW = replace(clause(CLAUSE), id=cast(ClauseId, "brand-new"), since="NEXT")
LAST = cast(Baseline, RELEASED.baseline)
REPOSITORY = replace(PROJECT, baseline=load(PROJECT.files))
EDITED = RELEASED.files[LAST.file].replace("stable", "beta")
BRISK = "held: bool = False\n    brisk: bool = False"
TOOL = '@stable(since="0.1.0")\ndef tool(name: str)'
DEMOTED = TOOL.replace(")", ', fields={"name": beta(since=NEXT)})', 1)
SIZE = '@stable(since="0.1.0", fields={"size": beta(since=NEXT)})\ndef tool'
WITHOUT = replace(RELEASED, clauses=tuple(one for one in RELEASED.clauses if one.id != CLAUSE))


def since(**changes: Any) -> Planted:
    """The repository after another release than that of RELEASED."""
    return replace(RELEASED, baseline=replace(LAST, **changes))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("project", [REPOSITORY, RELEASED], ids=["now", "right after a release"])
def test_nothing_is_found_where_nothing_drifted(code: str, project: Planted) -> None:
    assert planted(code, project) == []


@pytest.mark.parametrize(
    ("code", "changes", "said"),
    [
        ("FT52", {"surfaces": frozenset({Surface.RESULT})}, "lost surface"),
        ("FT52", {"statement": "A turn MAY end."}, "said MUST, and says MAY -> restore it; or deprecate"),
        ("FT53", {"statement": "A turn MUST end."}, 'it says: "A turn MUST end." -> set revised=NEXT'),
        ("FT53", {"revised": "NEXT"}, "says what it said; revised was None, is NEXT"),
        ("FT54", {"statement": "It MUST end.", "revised": "NEXT"}, "(it says something else), and nothing u"),
        ("FT55", {"deprecation": Deprecation("8.0.0", "10.0.0")}, "is newly deprecated, and says since 8.0."),
        ("FT55", {"deprecation": Deprecation("NEXT", "9.5.0")}, "is to go in 9.5.0, which is no major versi"),
        ("FT55", {"deprecation": Deprecation("NEXT", "9.0.0")}, "was to be gone in 9.0.0; this is 9.0.0"),
    ],
)  # fmt: skip
def test_a_change_of_a_clause_is_found(code: str, changes: dict[str, Any], said: str) -> None:
    (found,) = planted(code, with_clause(CLAUSE, **changes))
    assert said in found


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("FT53", {"statement": "A turn MUST end.", "revised": "NEXT"}),
        ("FT55", {"deprecation": Deprecation("NEXT", "10.0.0")}),
    ],
)
def test_a_change_of_a_clause_that_is_announced_passes(code: str, changes: dict[str, Any]) -> None:
    assert planted(code, with_clause(CLAUSE, **changes)) == []


@pytest.mark.parametrize(
    ("code", "project", "said"),
    [
        ("FT52", WITHOUT, f"tools/baseline/9.0.0.json:1 FT52 weakened: {CLAUSE}, stable since "),
        ("FT54", replace(RELEASED, clauses=(*RELEASED.clauses, NEW)), "(a new clause), and nothing under"),
        (
            "FT5B",
            since(retired={CLAUSE: "2.0.0"}),
            f"{CLAUSE} was released once, and was gone in 2.0.0 -> take another id",
        ),
        (
            "FT55",
            since(clauses={CLAUSE: ReleasedClause("0.1.0", "stable", (), "", removal="10.0.0")}),
            "was deprecated in 9.0.0, and no longer is -> restore the deprecation",
        ),
        ("FT5D", replace(RELEASED.with_file(LAST.file, None), baseline=None), "9.0.0 is released, and tools"),
        ("FT5D", replace(RELEASED, baseline=load({LAST.file: EDITED})), "it is not as make release wrote it"),
        ("FT5E", since(limits={"parallel-tools": "17"}), "parallel-tools was 17 in 9.0.0, and is 16"),
    ],
)  # fmt: skip
def test_another_release_than_the_one_before_is_found(code: str, project: Planted, said: str) -> None:
    (found,) = planted(code, project)
    assert said in found


@pytest.mark.parametrize(
    ("code", "file", "old", "new", "said"),
    [
        ("FT56", INIT, '= "9.0.0"', '= "9.0.1"', "the version is 9.0.1 here, and 9.0.0 elsewhere -> only"),
        ("FT56", CHANGELOG, "## [9.0.0]", "## [9.1.0]", "CHANGELOG.md:5 FT56 version-mismatch: the version"),
        ("FT56", "pyproject.toml", "9.0.0", "9.1.0", "pyproject.toml:2 FT56 version-mismatch: the"),
        ("FT54", CHANGELOG, "## [Unreleased]\n\n", "", "CHANGELOG.md:1 FT54 silent-changelog: there is no"),
        ("FT51", PART, '@stable(since="0.1.0")', '@stable(since="0.0.1")', "tool was released as since 0.1."),
        ("FT57", PART, '@stable(since="0.1.0")', '@beta(since="0.1.0")', "tool was stable in 9.0.0, and is"),
        ("FT50", PART, "held: bool = False", BRISK, "Config.brisk is new, and says"),
        ("FT54", PART, "held: bool = False", "held: bool = True", "(it was `held: bool = False`, and"),
        ("FT54", PART, "held: bool = False", BRISK, "below \"Added\": `Config.brisk`: a new field."),
        ("FT54", PART, '"held": beta(since="0.1.0")', "", "Config.held has changed since the last release ("),
        ("FT54", PART, TOOL, f"{SIZE}(name: str, size: int = 0)", "(a new parameter), and nothing under"),
        ("FT54", PART, TOOL, DEMOTED, "tool.name has changed since the last release (beta now)"),
        ("FT58", PART, "strict: bool = True", "strict: bool = False", "code that uses Config.strict, stable"),
        ("FT58", PART, "strict: bool", "severe: bool", "breaks: the field is gone; it was not deprecated ->"),
        ("FT58", PART, "def tool(name: str)", "def tool(name: str, size: int)", "parameter size was not th"),
    ],
)  # fmt: skip
def test_a_planted_drift_is_found(code: str, file: str, old: str, new: str, said: str) -> None:
    found = planted(code, RELEASED.edited(file, old, new))
    assert any(
        said.replace("`bool = False`", "it was `held: bool = False`, and is `held: bool = True`") in line
        for line in found
    ), found


@pytest.mark.parametrize(
    ("sort", "line", "left"),
    [
        ("Changed", f"`{CLAUSE}` is shorter. Migration: none.", []),
        ("Changed", f"`{CLAUSE}` is shorter.", ['its line has no "Migration:"']),
        ("Changed", f"`{CLAUSE}` is shorter. Migration: TODO.", ['its line has no "Migration:"']),
        ("Added", f"`{CLAUSE}` is shorter. Migration: none.", ["nothing under Changed names it"]),
    ],
)
def test_what_the_changelog_says_of_a_changed_clause(sort: str, line: str, left: list[str]) -> None:
    project = with_clause(CLAUSE, statement="A turn MUST end.", revised="NEXT")
    found = planted("FT54", noted(project, sort, line))
    assert len(found) == len(left) and all(said in one for said, one in zip(left, found, strict=True))


def test_a_break_that_is_told_with_a_migration_passes() -> None:
    project = RELEASED.edited(PART, "strict: bool = True", "strict: bool = False")
    told = noted(project, "Changed", "`strict` of `Config` is off. Migration: set it.")
    assert planted("FT58", told) == [] == planted("FT54", told)


def test_what_was_deprecated_may_go() -> None:
    gone = (
        '@stable(since="0.1.0")\n@deprecated("deprecated in 8.0.0: use other; removed in 10.0.0")\ndef tool'
    )
    project = release_of(RELEASED.edited(PART, '@stable(since="0.1.0")\ndef tool', gone))
    project = project.edited(INIT, "'Config', 'tool'", "'Config'")
    assert planted("FT58", noted(project, "Removed", "`tool`. Migration: use other.")) == []
    assert "nothing under Removed names it" in planted("FT58", project)[0]
