"""A release changes everything that names the version, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn.contract import Deprecation
from tests.contractdocs._plant import planted
from tests.contractdocs._released import (
    CHANGELOG,
    DATE,
    RELEASED,
    VERSION,
    after,
    baseline,
    before,
    clause,
    noted,
    unchecked,
    with_clause,
    with_field,
)
from tools.contractdocs.baseline import baseline_of, load, parsed, written
from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project
from tools.contractdocs.release import Refused, filled, formatted, plan, released
from tools.contractdocs.render import render


def history_check(project: Project) -> list[str]:
    return [line for kind in kinds() if kind.code[:3] == "FT5" for line in kind.findings(project)]


def refused(project: Project, version: str) -> list[str]:
    with pytest.raises(Refused) as caught:
        plan(project, version, DATE, check=history_check)
    return caught.value.reasons


class TestSource:
    def test_next_is_filled_in(self) -> None:
        text = (
            "from finalturn.stability import NEXT, stable\n\n\n"
            '@stable(since=NEXT, fields={"é": beta(since=stability.NEXT)})\nclass A:\n'
            '    """since=NEXT stays."""\n'
            "C(revised=NEXT, deprecation=Deprecation(since=NEXT))\n"
        )
        new = filled(text, "1.2.3")
        assert new.count('"1.2.3"') == 4 and "since=NEXT stays" in new
        assert formatted("src/finalturn/a.py", new).startswith("from finalturn.stability import stable\n")

    @pytest.mark.parametrize(
        "text",
        [
            'NEXT = "NEXT"\nprint(NEXT)\n',
            "from a import NEXT\n\nif since == NEXT: ...\n",
            '"""since=NEXT"""\n',
            "since = NEXT\n",
        ],
    )
    def test_other_uses_stay(self, text: str) -> None:
        assert filled(text, "1.2.3") == text

    def test_a_name_that_is_used_elsewhere_keeps_its_import(self) -> None:
        text = "from a import NEXT\n\nC(since=NEXT)\nprint(NEXT)\n"
        assert filled(text, "1.2.3") == 'from a import NEXT\n\nC(since="1.2.3")\nprint(NEXT)\n'

    def test_clauses(self) -> None:
        one = replace(
            clause("result-is-last"), since="NEXT", revised="NEXT", deprecation=Deprecation("NEXT", "2.0.0")
        )
        [new] = released((one,), "1.2.3")
        assert (new.since, new.revised) == ("1.2.3", "1.2.3")
        assert new.deprecation == Deprecation("1.2.3", "2.0.0")


class TestFirst:
    def test_nothing_says_next_any_more(self) -> None:
        symbols = RELEASED.api.symbols.values()
        assert {symbol.since for symbol in symbols} >= {VERSION} or all(s.since != "NEXT" for s in symbols)
        assert all(symbol.since != "NEXT" for symbol in symbols)
        assert all(one.since != "NEXT" for one in baseline().clauses.values())
        assert all(one.since != "NEXT" for one in baseline().symbols.values())

    def test_stability_still_defines_it(self) -> None:
        text = RELEASED.files["src/finalturn/stability.py"]
        assert 'NEXT: Final = "NEXT"' in text and "since=NEXT" not in text.rpartition('"""')[2]

    def test_the_version_is_set(self) -> None:
        assert f'\nversion = "{VERSION}"\n' in RELEASED.files["pyproject.toml"]
        assert f'\n__version__ = "{VERSION}"\n' in RELEASED.files["src/finalturn/__init__.py"]

    def test_the_changelog(self) -> None:
        assert RELEASED.files[CHANGELOG] == (
            f"# Changelog\n\n## [Unreleased]\n\n## [{VERSION}] - {DATE}\n\n### Added\n\n- A first release.\n"
        )

    def test_it_is_rendered(self) -> None:
        assert {name: RELEASED.files[name] for name in render(RELEASED)} == render(RELEASED)

    def test_the_baseline_is_what_was_promised(self) -> None:
        assert load(RELEASED.files) == baseline_of(RELEASED, VERSION)
        assert baseline().clauses["result-is-last"].statement == clause("result-is-last").statement
        assert (
            baseline().symbols["finalturn.Agent"].signature
            == RELEASED.api.symbols["finalturn.Agent"].signature
        )

    def test_the_check_of_history_finds_nothing(self) -> None:
        assert history_check(RELEASED) == []


class TestSecond:
    def changed(self) -> Project:
        project = with_field("brisk: bool = False")
        old = clause("errors-are-clean")
        return project.with_clause(replace(old, statement=old.statement + " Ever.", revised="NEXT"))

    def test_lines_are_wanted_for_all_that_changed(self) -> None:
        reasons = "\n".join(refused(noted(self.changed(), "Fixed", "A bug."), "10.0.0"))
        assert "`errors-are-clean`: it says something else. Migration: TODO." in reasons
        assert "`StructuredOutputConfig.brisk`: a new field." in reasons

    def test_it_is_compared_with_the_first(self) -> None:
        project = noted(
            self.changed(), "Changed", "`errors-are-clean` is shorter. Migration: none is needed."
        )
        project = noted(project, "Added", "`StructuredOutputConfig.brisk`: a new field.")
        second = after(project, "10.0.0")
        assert second.files[CHANGELOG].split(f"## [{VERSION}]")[0] == (
            "# Changelog\n\n## [Unreleased]\n\n"
            f"## [10.0.0] - {DATE}\n\n"
            "### Added\n\n- `StructuredOutputConfig.brisk`: a new field.\n\n"
            "### Changed\n\n- `errors-are-clean` is shorter. Migration: none is needed.\n\n"
        )
        assert second.baseline is not None
        assert second.baseline.version == "10.0.0"
        assert second.baseline.clauses["errors-are-clean"].revised == "10.0.0"
        assert (
            second.baseline.clauses["errors-are-clean"].since == baseline().clauses["errors-are-clean"].since
        )
        assert {f"tools/baseline/{VERSION}.json", "tools/baseline/10.0.0.json"} <= second.files.keys()
        assert history_check(second) == []

    def test_ids_that_are_gone_are_remembered(self) -> None:
        project = replace(RELEASED, clauses=RELEASED.clauses[1:])
        gone = RELEASED.clauses[0].id
        assert baseline_of(project, "10.0.0").retired == {gone: "10.0.0"}


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

    def test_of_a_minor_version_that_breaks(self) -> None:
        project = with_clause("errors-are-clean", statement="It MUST end.", revised="NEXT")
        project = noted(project, "Changed", "`errors-are-clean` is shorter. Migration: none.")
        assert refused(project, "9.1.0") == [
            "9.1.0 cannot break errors-are-clean: that takes 10.0.0 or later"
        ]

    def test_of_a_patch_that_breaks_before_version_1(self) -> None:
        first = after(before(), "0.8.0")
        one = clause("errors-are-clean", first)
        project = first.with_clause(replace(one, statement="It MUST end.", revised="NEXT"))
        project = noted(project, "Changed", "`errors-are-clean` is shorter. Migration: none.")
        assert refused(project, "0.8.1") == ["0.8.1 cannot break errors-are-clean: that takes 0.9.0 or later"]
        assert "tools/baseline/0.9.0.json" in plan(project, "0.9.0", DATE, check=unchecked)

    def test_of_what_the_check_finds(self) -> None:
        def check(project: Project) -> list[str]:
            return ["a.py:1 FT99 broken: it is -> mend it"]

        with pytest.raises(Refused) as caught:
            plan(before(), "9.0.0", DATE, check=check)
        assert caught.value.reasons == ["a.py:1 FT99 broken: it is -> mend it"]

    def test_of_what_the_check_finds_afterwards(self) -> None:
        def check(project: Project) -> list[str]:
            return ["a.py:1 FT99 broken: it is -> mend it"] if project.baseline else []

        with pytest.raises(Refused) as caught:
            plan(before(), "9.0.0", DATE, check=check)
        assert caught.value.reasons == ["a.py:1 FT99 broken: it is -> mend it"]


def test_a_source_file_is_put_into_style() -> None:
    asked: list[str] = []

    def tidy(name: str, text: str) -> str:
        asked.append(name)
        return text + "# tidy\n"

    source = 'from finalturn.stability import NEXT, stable\n\nstable(since=NEXT).constant(__name__, "A")\n'
    project = before().with_file("src/finalturn/planted.py", source)
    texts = plan(project, "9.0.0", DATE, tidy, unchecked)
    assert "src/finalturn/planted.py" in asked
    assert texts["src/finalturn/planted.py"].endswith(
        'stable(since="9.0.0").constant(__name__, "A")\n# tidy\n'
    )


def test_versions_are_compared_as_numbers() -> None:
    texts = {
        f"tools/baseline/{one}.json": written(replace(baseline(), version=one)) for one in ("0.9.0", "0.10.0")
    }
    found = load(texts)
    assert found is not None and found.version == "0.10.0"
    assert parsed("0.10.0") > parsed("0.9.0")
    assert load({}) is None


def test_the_check_finds_nothing_new_after_a_release() -> None:
    assert planted("FT30", RELEASED) == []
