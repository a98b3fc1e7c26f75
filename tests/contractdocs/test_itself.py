"""What would keep the check from seeing, or from being run."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._api import Api
from tools.contractdocs._project import ROOT, Project
from tools.contractdocs.kinds import itself_kinds, kinds
from tools.contractdocs.kinds.itself_runs import differing, foreign
from tools.contractdocs.render import render

NOT_CHECK = "does not run tools.contractdocs check -> run it"
GOES_ON = "goes on after a failure -> let the failure through"
NOT_RUN = "it does not run make test, on a line of its own -> run it, and let its failure through"
AFTER = "it goes on after a failure"
TESTS = "tests/contractdocs/test_planted.py"


def line(file: str, text: str, project: Project = PROJECT) -> int:
    return project.line_of(file, text)


@pytest.mark.parametrize("code", ["FT61", "FT62", "FT64", "FT65", "FT66", "FT67", "FT68"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestLookedAtNothing:
    FOUND = "find out why; a check that saw nothing fails"

    def found(self, project: Project) -> list[str]:
        return planted("FT60", project)

    def test_without_a_run(self) -> None:
        where = "tools/contractdocs/"
        assert self.found(PROJECT) == [
            f"{where}_evidence_gather.py:1 FT60 looked-at-nothing: there are no proofs -> {self.FOUND}",
            f"{where}_evidence_gather.py:1 FT60 looked-at-nothing: there are no examples -> {self.FOUND}",
            f"{where}_reproducible.py:1 FT60 looked-at-nothing: there are no renders in other processes"
            f" -> {self.FOUND}",
        ]

    def test_without_clauses(self) -> None:
        assert (
            "src/finalturn/contract.py:1 FT60 looked-at-nothing: there are no clauses -> " + self.FOUND
        ) in self.found(replace(PROJECT, clauses=()))

    def test_without_documents(self) -> None:
        files = {name: text for name, text in PROJECT.files.items() if not name.endswith(".md")}
        assert (
            "tools/contractdocs/_project.py:1 FT60 looked-at-nothing: there are no documents -> " + self.FOUND
        ) in self.found(Project(files))

    def test_without_names(self) -> None:
        project = Project(PROJECT.files)
        vars(project)["api"] = Api({})
        assert (
            "tools/contractdocs/_api.py:1 FT60 looked-at-nothing: there are no public names -> " + self.FOUND
        ) in self.found(project)

    def test_without_a_file_that_is_needed(self) -> None:
        assert (
            "Makefile:1 FT60 looked-at-nothing: there are no lines in it, or it was not read -> " + self.FOUND
        ) in self.found(PROJECT.with_file("Makefile", None))

    def test_without_a_group_of_kinds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(itself_kinds, "_groups", lambda: {"code": ()})
        assert self.found(PROJECT)[-1] == (
            "tools/contractdocs/kinds/code.py:1 FT60 looked-at-nothing: there are no kinds of drift in"
            " the group"
            f" code -> {self.FOUND}"
        )


class TestUntestedKind:
    def without(self, code: str) -> Project:
        files = {
            name: text.replace(f'"{code}"', '"FT99"')
            for name, text in PROJECT.files.items()
            if name.startswith("tests/contractdocs/")
        }
        return replace(PROJECT, files={**PROJECT.files, **files})

    def found(self, project: Project) -> list[str]:
        return [one for one in planted("FT62", project) if "FT3A" in one]

    def message(self) -> list[str]:
        file = "tools/contractdocs/kinds/text_links.py"
        return [
            f"{file}:{line(file, 'code=')} FT62 untested-kind: FT3A dead-link has no test with"
            ' planted("FT3A", ...)'
            " and an assertion -> plant the drift in a test, and assert the whole message"
        ]

    def test_without_a_test(self) -> None:
        assert self.found(self.without("FT3A")) == self.message()

    @pytest.mark.parametrize(
        "test",
        [
            'def test_a() -> None:\n    planted("FT3A", PROJECT)\n',
            '@pytest.mark.skip\ndef test_a() -> None:\n    assert planted("FT3A", PROJECT) == []\n',
            'def helper() -> None:\n    assert planted("FT3A", PROJECT) == []\n',
            '# planted("FT3A", PROJECT)\n',
        ],
    )
    def test_with_a_test_that_cannot_fail(self, test: str) -> None:
        assert self.found(self.without("FT3A").with_file(TESTS, test)) == self.message()

    def test_with_a_test(self) -> None:
        test = 'def test_a() -> None:\n    assert planted("FT3A", PROJECT) == ["a"]\n'
        assert self.found(self.without("FT3A").with_file(TESTS, test)) == []


class TestPages:
    def test_a_kind_without_one(self) -> None:
        file = "tools/contractdocs/kinds/text_links.py"
        found = planted("FT65", PROJECT.with_file("docs/drift/ft3a.md", None))
        assert [one for one in found if "FT3A" in one] == [
            f"{file}:{line(file, 'code=')} FT65 unpaged-kind: FT3A has no page docs/drift/ft3a.md ->"
            " make docs"
        ]

    def test_two_kinds_of_one_code(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [kind] = [one for one in kinds() if one.code == "FT3A"]
        other = replace(kind, name="dead-links")
        monkeypatch.setattr(itself_kinds, "_groups", lambda: {"text": (kind, other)})
        file = "tools/contractdocs/kinds/text_links.py"
        assert planted("FT66", PROJECT) == [
            f"{file}:{line(file, 'code=')} FT66 kind-twice: FT3A is that of another kind too: FT3A dead-link"
            " -> take another"
        ]


class TestUnrunCheck:
    @pytest.mark.parametrize("gate", ["lint", "types", "unit", "docs-check", "mutants"])
    def test_that_make_test_leaves_out(self, gate: str) -> None:
        rule = next(one for one in PROJECT.files["Makefile"].split("\n") if one.startswith("test:"))
        project = PROJECT.edited("Makefile", rule, rule.replace(f" {gate}", "", 1))
        assert planted("FT64", project) == [
            f"Makefile:{line('Makefile', rule)} FT64 unrun-check: make test does not run {gate}"
            f" -> let test depend on {gate}"
        ]

    @pytest.mark.parametrize(
        ("old", "new", "gate", "said"),
        [
            ("-m tools.contractdocs check", "-m tools.contractdocs digests", "docs-check", NOT_CHECK),
            ("-m tools.mutants", "--version", "mutants", "does not run tools.mutants -> run it"),
            ("-m tools.contractdocs check", "-m tools.contractdocs check || true", "docs-check", GOES_ON),
            ("@$(PYTHON_IN) -m tools.mutants", "-@$(PYTHON_IN) -m tools.mutants", "mutants", GOES_ON),
            ("@$(PYTHON_IN) -m mypy", "-$(PYTHON_IN) -m mypy", "types", GOES_ON),
        ],
    )
    def test_of_the_makefile(self, old: str, new: str, gate: str, said: str) -> None:
        assert planted("FT64", PROJECT.edited("Makefile", old, new)) == [
            f"Makefile:{line('Makefile', f'{gate}:')} FT64 unrun-check: make {gate} {said}"
        ]

    def test_of_a_makefile_that_ignores_failures(self) -> None:
        project = PROJECT.edited("Makefile", ".DELETE_ON_ERROR:", ".IGNORE:")
        assert planted("FT64", project) == [
            f"Makefile:{line('Makefile', '.DELETE_ON_ERROR')} FT64 unrun-check: make goes on after failures"
            " -> take it out"
        ]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("make test\n", "make test || true\n", NOT_RUN),
            ("timeout 2400 make test\n", "# make test\n", NOT_RUN),
            ("set -Eeuo pipefail", "set -u", f"{AFTER} -> begin it with set -Eeuo pipefail"),
            ("trap 'echo", "set +e\ntrap 'echo", f"{AFTER} from here -> take set +e out"),
        ],
    )
    def test_of_ci(self, old: str, new: str, said: str) -> None:
        found = planted("FT64", PROJECT.edited(".ci/run", old, new))
        assert [one.partition(" FT64 ")[2] for one in found] == [f"unrun-check: {said}"]
        assert found[0].startswith(".ci/run:")


@pytest.mark.parametrize(
    ("pattern", "file"),
    [
        ("docs/reference/", "docs/reference/api.txt"),
        ("*.json", "docs/contract.json"),
        ("/docs/llms*.txt", "docs/llms-full.txt"),
        ("baseline", None),
        ("reviewed.toml", "tools/contractdocs/reviewed.toml"),
        ("site/", None),
    ],
)
def test_files_that_are_hidden(pattern: str, file: str | None) -> None:
    project = PROJECT.with_file(".gitignore", f"build/\n{pattern}\n").with_file(
        "tools/contractdocs/reviewed.toml", ""
    )
    said = f".gitignore:2 FT67 hidden-file: {pattern} hides {file} from git"
    found = [f"{said} -> name what is not to be kept more closely"] if file else []
    if pattern == "baseline" and any(name.startswith("tools/baseline/") for name in PROJECT.files):
        return
    assert planted("FT67", project) == found


def test_another_checkout() -> None:
    assert foreign(str(ROOT / "src" / "finalturn" / "__init__.py")) is None
    elsewhere = "/elsewhere/src/finalturn/__init__.py"
    assert foreign(elsewhere) == elsewhere


def test_another_checkout_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finalturn.__file__", "/elsewhere/src/finalturn/__init__.py")
    assert planted("FT68", PROJECT) == [
        "src/finalturn/__init__.py:1 FT68 foreign-source: finalturn was imported from"
        " /elsewhere/src/finalturn, not"
        " from this checkout -> run it through make, which uses this checkout's own environment"
    ]


def test_a_render_that_differs() -> None:
    same = {name: sha256(text.encode()).hexdigest() for name, text in render(PROJECT).items()}
    assert planted("FT61", replace(PROJECT, renders=(same, same))) == []
    other = {**same, "docs/contract.json": "0"}
    assert planted("FT61", replace(PROJECT, renders=(same, other))) == [
        "docs/contract.json:1 FT61 not-reproducible: it differs when it is rendered in another process"
        " (the one with"
        " PYTHONHASHSEED=2) -> sort what it is made of, and take out clocks, paths and random numbers"
    ]
    assert differing({"a": "1", "b": "2"}, {"a": "1", "c": "3"}) == ["b", "c"]
