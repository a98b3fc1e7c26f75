"""What a changelog must tell, and in which form."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from finalturn.core.clauses import ClauseId
from tests.contractdocs._plant import planted
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

CONFIG = "src/finalturn/agent/_config.py"
CLAUSE = "result-is-last"
NEW = cast(ClauseId, "brand-new")


def symbol_place(path: str) -> str:
    symbol = RELEASED.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


class TestChangelog:
    def test_a_changed_clause(self) -> None:
        project = with_clause(CLAUSE, statement="A turn MUST end.", revised="NEXT")
        assert planted("FT54", project) == [
            f"CHANGELOG.md:3 FT54 silent-changelog: {CLAUSE} has changed since the last release (it"
            " says something"
            f' else), and nothing under Changed names it -> below "Changed": `{CLAUSE}`: it says'
            " something else."
            " Migration: TODO."
        ]
        assert planted("FT54", noted(project, "Changed", f"`{CLAUSE}` is shorter. Migration: none.")) == []
        assert len(planted("FT54", noted(project, "Added", f"`{CLAUSE}` is shorter. Migration: none."))) == 1
        assert planted("FT54", noted(project, "Changed", f"`{CLAUSE}` is shorter.")) == [
            f"CHANGELOG.md:3 FT54 silent-changelog: {CLAUSE} has changed since the last release (it"
            " says something"
            f' else), and its line has no "Migration:" -> below "Changed": `{CLAUSE}`: it says'
            " something else."
            " Migration: TODO."
        ]

    def test_a_new_clause(self) -> None:
        new = replace(clause(CLAUSE), id=NEW, since="NEXT")
        project = replace(RELEASED, clauses=(*RELEASED.clauses, new))
        assert planted("FT54", project) == [
            "CHANGELOG.md:3 FT54 silent-changelog: brand-new has changed since the last release (a new"
            " clause), and"
            ' nothing under Added names it -> below "Added": `brand-new`: a new clause.'
        ]
        assert planted("FT54", noted(project, "Added", "The clause `brand-new`.")) == []

    def test_a_new_field(self) -> None:
        project = with_field("brisk: bool = False")
        assert planted("FT58", project) == [] == planted("FT50", project)
        assert planted("FT54", project) == [
            "CHANGELOG.md:3 FT54 silent-changelog: StructuredOutputConfig.brisk has changed since the"
            " last release"
            ' (a new field), and nothing under Added names it -> below "Added":'
            " `StructuredOutputConfig.brisk`: a"
            " new field."
        ]
        assert planted("FT54", noted(project, "Added", "`brisk` of `StructuredOutputConfig`.")) == []

    def test_a_new_field_before_others(self) -> None:
        project = edited(
            CONFIG, "    native: bool = True\n", "    brisk: bool = False\n    native: bool = True\n"
        )
        [found] = planted("FT58", project)
        assert (
            "StructuredOutputConfig is stable in 9.0.0, and code that uses it breaks: by position it took"
            in found
        )

    def test_a_new_field_without_a_default(self) -> None:
        file = "src/finalturn/core/model.py"
        project = edited(
            file, "    name: str\n    schema: Mapping", "    name: str\n    brisk: bool\n    schema: Mapping"
        )
        assert any("parameter brisk is new, and has no default" in line for line in planted("FT58", project))

    def test_a_default_that_changed(self) -> None:
        project = edited(CONFIG, "reuse_loop_answer: bool = True", "reuse_loop_answer: bool = False")
        name = "StructuredOutputConfig.reuse_loop_answer"
        assert planted("FT58", project) == [
            f"{symbol_place(f'finalturn.{name}')} FT58 breaking: {name} is stable in 9.0.0, and code"
            " that uses it"
            " breaks: its default was True, and is False -> undo; or deprecate it first, and name it in the"
            " changelog with what users must do"
        ]
        told = noted(project, "Changed", f"`{name}` is off. Migration: set it.")
        assert planted("FT58", told) == [] == planted("FT54", told)

    def test_a_default_of_a_beta_field_breaks_nothing(self) -> None:
        project = edited(CONFIG, "hold_json: bool = False", "hold_json: bool = True")
        assert planted("FT58", project) == []
        assert planted("FT54", project) == [
            "CHANGELOG.md:3 FT54 silent-changelog: StructuredOutputConfig.hold_json has changed since"
            " the last"
            " release (its default was False, and is True), and nothing under Changed or Removed names it"
            " -> below"
            ' "Changed": `StructuredOutputConfig.hold_json`: its default was False, and is True.'
        ]

    def test_a_function_that_is_gone(self) -> None:
        project = RELEASED.with_file(CONFIG, RELEASED.files[CONFIG])
        vars(project)["api"] = Api(
            {name: one for name, one in RELEASED.api.symbols.items() if name != "finalturn.tool"}
        )
        assert planted("FT58", project) == [
            "tools/baseline/9.0.0.json:1 FT58 breaking: tool is stable in 9.0.0, and code that uses it"
            " breaks: the"
            " function is gone, and was not deprecated -> undo; or deprecate it first, and name it in"
            " the changelog"
            " with what users must do"
        ]
        old = replace(baseline().symbols["finalturn.tool"], deprecated="Use another.")
        symbols = {**baseline().symbols, "finalturn.tool": old}
        project = replace(
            noted(project, "Removed", "`tool`. Migration: none."),
            baseline=replace(baseline(), symbols=symbols),
        )
        vars(project)["api"] = Api(
            {name: one for name, one in RELEASED.api.symbols.items() if name != "finalturn.tool"}
        )
        assert planted("FT58", project) == [] == planted("FT54", project)

    @pytest.mark.parametrize(
        ("title", "said"),
        [
            ("[9.0.0]", '"[9.0.0]" is no title of a release -> write ## [0.1.0] - 2026-01-31'),
            (
                "[9.0] - 2026-01-31",
                '"[9.0] - 2026-01-31" is no title of a release -> write ## [0.1.0] - 2026-01-31',
            ),
            (
                "[9.0.0] - 2026-13-31",
                '"[9.0.0] - 2026-13-31" is no title of a release -> write ## [0.1.0] - 2026-01-31',
            ),
        ],
    )
    def test_a_title(self, title: str, said: str) -> None:
        project = edited(CHANGELOG, "## [9.0.0] - 2026-01-31", f"## {title}")
        assert planted("FT59", project) == [f"CHANGELOG.md:5 FT59 changelog-form: {said}"]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                "## [0.1.0] - 2026-01-01\n",
                "CHANGELOG.md:1 FT59 changelog-form: the first section is not [Unreleased] -> put ##"
                " [Unreleased] above it",
            ),
            (
                "## [Unreleased]\n## [Unreleased]\n",
                "CHANGELOG.md:2 FT59 changelog-form: there are two sections [Unreleased] -> make them one",
            ),
            (
                "## [Unreleased]\n\n### Fixes\n\n- A.\n",
                'CHANGELOG.md:3 FT59 changelog-form: "Fixes" is no sort of change -> there are Added,'
                " Changed, Deprecated, Removed, Fixed, Security",
            ),
            (
                "## [Unreleased]\n\n### Added\n",
                'CHANGELOG.md:3 FT59 changelog-form: "Added" lists nothing -> list something, or take it out',
            ),
            (
                "## [Unreleased]\n\n### Added\n\n- A.\n\n### Added\n\n- B.\n",
                'CHANGELOG.md:7 FT59 changelog-form: "Added" stands twice in [Unreleased] -> make them one',
            ),
            (
                "## [Unreleased]\n\n### Added\n\n- A. Migration:\n  TODO.\n",
                "CHANGELOG.md:5 FT59 changelog-form: a line still says TODO -> say what users must do,"
                " or that they need not",
            ),
            (
                "## [Unreleased]\n## [0.1.0] - 2026-01-02\n## [0.2.0] - 2026-01-03\n",
                "CHANGELOG.md:3 FT59 changelog-form: 0.2.0 stands below 0.1.0 -> put the newest first",
            ),
            (
                "## [Unreleased]\n## [0.2.0] - 2026-01-01\n## [0.1.0] - 2026-01-03\n",
                "CHANGELOG.md:2 FT59 changelog-form: 0.2.0 is of 2026-01-01, before 0.1.0, which is of"
                " 2026-01-03 -> mend the date",
            ),
        ],
    )
    def test_its_form(self, text: str, said: str) -> None:
        assert planted("FT59", RELEASED.with_file(CHANGELOG, text)) == [said]

    def test_what_was_said_of_a_release(self) -> None:
        (found,) = planted("FT5C", edited(CHANGELOG, "A first release", "The first release"))
        said = f"what it says of {VERSION} is not what was released -> undo; or read it beside the release"
        assert found.startswith(f"CHANGELOG.md:5 FT5C rewritten-release: {said}")
