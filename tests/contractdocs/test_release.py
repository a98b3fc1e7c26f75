"""A release changes everything that names the version, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn.contract import Deprecation
from tests.contractdocs._plant import PROJECT, Planted
from tests.contractdocs._small import (
    CHANGELOG,
    INIT,
    PART,
    RELEASED,
    VERSION,
    clause,
    noted,
    release_of,
    with_clause,
)
from tools.contractdocs import release
from tools.contractdocs.baseline import Baseline, baseline_of, load, parsed, written
from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project
from tools.contractdocs.release import Refused, filled, plan, released
from tools.contractdocs.render import render

DATE = "2026-02-28"


def unchecked(project: Project) -> list[str]:
    return []


def history(project: Project) -> list[str]:
    return [line for kind in kinds() if kind.code[:3] == "FT5" for line in kind.findings(project)]


def refused(project: Planted, version: str) -> list[str]:
    with pytest.raises(Refused) as caught:
        plan(project, version, DATE, check=history)
    return list(caught.value.args)


def nothing(project: Project) -> dict[str, str]:
    return {}


class TestSource:
    def test_next_is_filled_in_where_a_marker_or_a_clause_says_it(self) -> None:
        text = (
            '@stable(since=NEXT, fields={"é": beta(since=stability.NEXT)})\nclass A:\n'
            '    """since=NEXT stays."""\n'
            "C(revised=NEXT, deprecation=Deprecation(since=NEXT))\n"
        )
        new = filled(text, "1.2.3")
        assert new.count('"1.2.3"') == 4 and new.count("NEXT") == 1 and "since=NEXT stays" in new

    @pytest.mark.parametrize(
        "text", ['NEXT = "NEXT"\nprint(NEXT)\n', "if since == NEXT: ...\n", "since = NEXT\n"]
    )
    def test_other_uses_stay(self, text: str) -> None:
        assert filled(text, "1.2.3") == text

    def test_clauses_are_as_the_filled_source_declares_them(self) -> None:
        one = replace(
            clause("result-is-last"), since="NEXT", revised="NEXT", deprecation=Deprecation("NEXT", "2.0.0")
        )
        [new] = released((one,), "1.2.3")
        assert (new.since, new.revised, new.deprecation) == ("1.2.3", "1.2.3", Deprecation("1.2.3", "2.0.0"))


class TestTheRepository:
    def test_all_of_it_is_released_and_nothing_is_found_afterwards(self) -> None:
        version = "99.0.0"
        before = replace(PROJECT, baseline=load(PROJECT.files))
        files = {**PROJECT.files, **plan(before, version, DATE, check=unchecked)}
        after = Planted(files, clauses=released(PROJECT.clauses, version), baseline=load(files))
        assert history(after) == []
        assert render(after).items() <= files.items()
        assert all(symbol.since != "NEXT" for symbol in after.api.symbols.values())
        assert f'\nversion = "{version}"\n' in files["pyproject.toml"]
        assert f'\n__version__ = "{version}"\n' in files[INIT]
        assert 'NEXT: Final = "NEXT"' in files["src/finalturn/stability.py"]


def test_the_next_release_is_compared_with_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "render", nothing)
    monkeypatch.setattr(release, "limits", nothing)
    old = clause("errors-are-clean")
    project = with_clause("errors-are-clean", statement=f"{old.statement} Ever.", revised="NEXT")
    brisk = "held: bool = False\n    brisk: bool = False\n"
    project = project.edited(PART, "held: bool = False\n", brisk).edited(
        PART, "fields={", 'fields={"brisk": stable(since=NEXT), '
    )
    reasons = "\n".join(refused(noted(project, "Fixed", "A bug."), "10.0.0"))
    assert "`errors-are-clean`: it says something else. Migration: TODO." in reasons
    assert "`Config.brisk`: a new field." in reasons
    project = noted(
        project, "Changed", "`errors-are-clean` is <!-- value: rules -->44<!-- end -->. Migration: none."
    )
    texts = plan(noted(project, "Added", "`Config.brisk`: a new field."), "10.0.0", DATE, check=unchecked)
    assert texts[CHANGELOG].split(f"## [{VERSION}]")[0] == (
        f"# Changelog\n\n## [Unreleased]\n\n## [10.0.0] - {DATE}\n\n"
        "### Added\n\n- `Config.brisk`: a new field.\n\n"
        "### Changed\n\n- `errors-are-clean` is 44. Migration: none.\n\n"
    )
    last = load(texts)
    assert last is not None and last.version == "10.0.0" and last.intact
    assert last.clauses["errors-are-clean"].revised == "10.0.0"
    assert last.clauses["errors-are-clean"].since == old.since
    assert last.symbols["finalturn.Config.brisk"].since == "10.0.0"


class TestRefusal:
    @pytest.mark.parametrize("version", ["9.0.0", "8.9.9"])
    def test_of_a_version_that_is_not_greater(self, version: str) -> None:
        project = noted(RELEASED, "Fixed", "A bug.")
        assert refused(project, version) == [f"{version} is not greater than 9.0.0, the last release"]

    @pytest.mark.parametrize("version", ["", "9.1", "v9.1.0", "9.1.0rc1", "09.1.0"])
    def test_of_what_is_no_version(self, version: str) -> None:
        assert refused(RELEASED, version) == [
            f"{version!r} is no version: it is three numbers, such as 0.2.0"
        ]

    def test_of_an_empty_changelog(self) -> None:
        assert refused(RELEASED, "9.1.0") == ["CHANGELOG.md: nothing is listed under [Unreleased]"]

    @pytest.mark.parametrize(
        ("last", "version", "least"), [("9.0.0", "9.1.0", "10.0.0"), ("0.8.0", "0.8.1", "0.9.0")]
    )
    def test_of_a_version_that_may_not_break(self, last: str, version: str, least: str) -> None:
        one = replace(clause("errors-are-clean"), statement="It MUST end.", revised="NEXT")
        project = release_of(RELEASED, last).with_clause(one)
        project = noted(project, "Changed", "`errors-are-clean` is shorter. Migration: none.")
        assert refused(project, version) == [
            f"{version} cannot break errors-are-clean: that takes {least} or later"
        ]

    @pytest.mark.parametrize("version", [VERSION, "9.1.0"], ids=["before", "afterwards"])
    def test_of_what_the_check_finds(self, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(release, "render", nothing)
        monkeypatch.setattr(release, "limits", nothing)

        def check(project: Project) -> list[str]:
            return ["a.py:1 broken"] if project.baseline and project.baseline.version == version else []

        with pytest.raises(Refused) as caught:
            plan(noted(RELEASED, "Fixed", "A bug."), "9.1.0", DATE, check=check)
        assert caught.value.args == ("a.py:1 broken",)


def test_versions_are_compared_as_numbers() -> None:
    texts = {f"tools/baseline/{one}.json": written(Baseline(one, {})) for one in ("0.9.0", "0.10.0")}
    found = load(texts)
    assert found is not None and found.version == "0.10.0"
    assert parsed("0.10.0") > parsed("0.9.0")
    assert load({}) is None


def test_ids_that_are_gone_are_remembered() -> None:
    project = replace(RELEASED, clauses=RELEASED.clauses[1:])
    assert baseline_of(project, "10.0.0", {}).retired == {RELEASED.clauses[0].id: "10.0.0"}
