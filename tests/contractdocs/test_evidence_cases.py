"""Tests of a contract as cases that are called directly."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tests.contract import _proves
from tools.contractdocs.evidence.cases import Case, collect
from tools.contractdocs.evidence.model import Broken

HEAD = """\
import pytest
from finalturn.contract import HELD_JSON
from tests.contract._proves import proves
"""
PROOF = '@proves(HELD_JSON, drivers=["run"], kinds=["http"])\ndef test_it(play): ...\n'


class Written:
    """A package of tests."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = folder
        self.package = f"written_{folder.name}".replace("-", "_")
        (folder / self.package).mkdir()
        (folder / self.package / "__init__.py").write_text("")
        monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
        monkeypatch.setattr(_proves, "PROOFS", {})

    def path(self, name: str) -> Path:
        return self.root / self.package / f"{name}.py"

    def collect(self, text: str, name: str = "test_it") -> tuple[list[Case], list[Broken]]:
        self.path(name).write_text(HEAD + text)
        importlib.invalidate_caches()
        return collect(self.root, self.package)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    return Written(tmp_path, monkeypatch)


def test_every_choice_of_every_parameter_is_a_case(written: Written) -> None:
    cases, broken = written.collect(
        """
@proves(HELD_JSON, drivers=["run"], kinds=["http", "streaming"])
@pytest.mark.parametrize("a, b", [(1, 2), pytest.param(3, 4, id="x")])
@pytest.mark.parametrize(["c"], iter("yz"))
def test_it(play, a, b, c): ...
"""
    )
    assert broken == []
    found = [(case.driver, case.kind, *(case.values[name] for name in "abc")) for case in cases]
    assert sorted(found) == sorted(
        ("run", kind, *pair, letter)
        for kind in ("http", "streaming")
        for pair in ((1, 2), (3, 4))
        for letter in "yz"
    )
    assert {case.clauses for case in cases} == {("held-json",)}
    assert {(case.file, case.line) for case in cases} == {(str(written.path("test_it")), 8)}
    assert {(case.skip, case.fault) for case in cases} == {(None, None)}


def test_a_test_without_a_clause_is_none(written: Written) -> None:
    assert written.collect("def test_it(): ...\ndef helper(): ...\n") == ([], [])


@pytest.mark.parametrize(
    ("mark", "skip"),
    [
        ('skip("not now")', "it is marked skip"),
        ("skipif(False, reason='never')", "it is marked skipif"),
        ("xfail", "it is marked xfail"),
        ('filterwarnings("error")', None),
    ],
)
def test_marks_are_honoured(written: Written, mark: str, skip: str | None) -> None:
    (case,), _ = written.collect(f"@pytest.mark.{mark}\n{PROOF}")
    assert (case.skip, case.fault) == (skip, None)


def test_marks_of_a_module_and_of_a_parameter_are_honoured(written: Written) -> None:
    (case,), _ = written.collect(f'pytestmark = pytest.mark.skip("all")\n{PROOF}')
    assert case.skip == "it is marked skip"
    text = """
@proves(HELD_JSON, drivers=["run"], kinds=["http"])
@pytest.mark.parametrize("a", [1, pytest.param(2, marks=pytest.mark.skip("two"))])
def test_other(play, a): ...
"""
    cases, _ = written.collect(text, "test_other")
    assert [case.skip for case in cases if case.test.__name__ == "test_other"] == [None, "it is marked skip"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("def test_it(play, caplog): ...", "it needs pytest's fixture caplog"),
        ("async def test_it(play): ...", "it is asynchronous; a play drives its own event loop"),
    ],
)
def test_what_needs_pytest_cannot_be_run(written: Written, text: str, fault: str) -> None:
    (case,), _ = written.collect(PROOF.partition("def")[0] + text)
    assert case.fault == fault


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("def test_it(:\n", 4, "SyntaxError: invalid syntax"),
        ("\nraise LookupError('lost')\n", 5, "LookupError: lost"),
        ("pytest.skip('no network', allow_module_level=True)\n", 4, "Skipped: no network"),
        (
            "from finalturn.contract import GONE\n",
            4,
            "ImportError: cannot import name 'GONE' from 'finalturn.contract'",
        ),
    ],
)
def test_a_module_that_cannot_be_imported_is_named(written: Written, text: str, line: int, what: str) -> None:
    cases, broken = written.collect(text)
    assert cases == []
    (one,) = broken
    assert (one.file, one.line) == (str(written.path("test_it")), line)
    assert one.what.startswith(f"{written.path('test_it')} cannot be imported: {what}")
