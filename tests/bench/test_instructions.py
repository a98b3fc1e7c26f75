"""Counts of instructions: what is compared with what. Nothing is counted here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tools import instructions as command
from tools.instructions import DELTAS, REFERENCE, VERSION, WARM_UP, WORKS, grown, keep, kept, main, works


def test_every_work_is_done_and_has_a_count_that_is_kept() -> None:
    assert tuple(works()) == (REFERENCE, *WORKS)
    assert all(set(counts) == set(WORKS) for counts in kept().values())
    assert kept()


@pytest.mark.parametrize("name", ["nothing", "machine", "codec"])
def test_each_does_a_little_of_all_and_then_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, int]] = []

    def noted(work: str) -> Callable[[int], None]:
        def note(count: int) -> None:
            done.append((work, count))

        return note

    def noting() -> dict[str, Callable[[int], None]]:
        return {work: noted(work) for work in works()}

    monkeypatch.setattr("tools.instructions.works", noting)
    monkeypatch.setattr("gc.disable", lambda: None)
    assert main(["do", name]) == 0
    warm = [(work, WARM_UP) for work in works()]
    assert done == warm + ([] if name == "nothing" else [(name, DELTAS)])


def test_a_tenth_more_is_too_much_and_less_never_is() -> None:
    before = {"codec": 1.0, "machine": 2.0}
    assert list(grown(before, {"codec": 1.09, "machine": 0.1})) == []
    (problem,) = grown(before, {"codec": 1.11, "machine": 2.1})
    assert problem.startswith("codec: 1.110 x the reference, and 1.000 x is kept: 11% more.")


def test_each_version_of_python_has_its_own(tmp_path: Path) -> None:
    file = tmp_path / "ratios.json"
    keep("3.11", {"codec": 1.0}, file)
    keep("3.12", {"codec": 2.0}, file)
    keep("3.11", {"codec": 3.0}, file)
    assert kept(file) == {"3.11": {"codec": 3.0}, "3.12": {"codec": 2.0}}


class TestCommand:
    @pytest.fixture(autouse=True)
    def _counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shutil.which", {"valgrind": "/somewhere/valgrind"}.get)
        monkeypatch.setattr(command, "kept", lambda: {VERSION: dict.fromkeys(WORKS, 1.0)})
        self.count = 100.0
        monkeypatch.setattr(command, "counted", lambda: {REFERENCE: 100.0} | dict.fromkeys(WORKS, self.count))

    def test_what_is_kept_passes(self) -> None:
        assert command.main(["check"]) == 0

    def test_what_has_grown_fails_and_says_so(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.count = 120.0
        assert command.main(["check"]) == 1
        assert capsys.readouterr().err.count("20% more") == len(WORKS)

    def test_a_version_without_counts_is_not_run_and_says_so(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(command, "kept", dict)
        assert command.main(["check"]) == 0
        assert "not run" in capsys.readouterr().out

    def test_without_valgrind_it_fails(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("shutil.which", dict[str, str]().get)
        assert command.main(["check"]) == 1
        assert "valgrind" in capsys.readouterr().err

    def test_anything_else_is_explained(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main([]) == 2
        assert "check" in capsys.readouterr().err
