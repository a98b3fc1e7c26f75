"""Running a part of the cases."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract._play import Play
from tests.contract._scenes import PROSE
from tools.contractdocs.evidence import examples as documents
from tools.contractdocs.evidence import run as runner
from tools.contractdocs.evidence.cases import Case
from tools.contractdocs.evidence.model import Broken, Proof
from tools.contractdocs.evidence.run import NOTHING, play, run


def case(test: Callable[..., object], **changes: Any) -> Case:
    given: dict[str, Any] = {"clauses": ("held-json",), "values": {}, **changes}
    return Case(test, "tests/contract/test_x.py", 3, **given)


def passing() -> None: ...


def looking(play: Play) -> None:
    observed = play(PROSE)
    assert observed.result.text == observed.content
    assert Play("run", "streaming")(PROSE).requests


def test_a_case_that_passes_tells_what_it_looked_at() -> None:
    """What it looked at of another play does not count."""
    one = case(looking, values={"play": Play("arun-trio", "whole-reply")})
    assert play(one) == (frozenset({"result", "tokens"}), "passed", "")
    one = case(looking, values={"play": Play("run", "streaming")})
    assert play(one) == (frozenset({"request", "result", "tokens"}), "passed", "")
    assert play(case(passing)) == (NOTHING, "passed", "")


def fails_without_words() -> None:
    assert not PROSE


def fails_with_words() -> None:
    raise ValueError("two\nlines")


def expects_in_vain() -> None:
    with pytest.raises(ValueError, match="x"):
        passing()


def skips() -> None:
    pytest.skip("not here")


def expects_failure() -> None:
    pytest.xfail("not yet")


@pytest.mark.parametrize(
    ("test", "outcome", "detail"),
    [
        (fails_with_words, "failed", "ValueError: two lines"),
        (expects_in_vain, "failed", "Failed: DID NOT RAISE ValueError"),
        (skips, "skipped", "not here"),
        (expects_failure, "skipped", "not yet"),
    ],
)
def test_how_a_case_ends(test: Callable[[], None], outcome: str, detail: str) -> None:
    read, *ended = play(case(test))
    assert read == NOTHING
    assert ended[0] == outcome
    assert ended[1].replace("<class 'ValueError'>", "ValueError") == detail


def test_an_assertion_is_shown_by_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    def bare() -> None:
        raise AssertionError

    _, outcome, detail = play(case(bare))
    assert outcome == "failed"
    assert detail.startswith("AssertionError: raise AssertionError (tests/contractdocs/test_evidence_run.py:")


def test_a_case_that_does_not_come_back_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LIMIT", 0.05)
    hang = threading.Event().wait
    assert play(case(hang)) == (NOTHING, "failed", "TooLong: it was stopped after 0.05 seconds")


def test_what_is_not_run_says_why() -> None:
    assert play(case(passing, skip="not now")) == (NOTHING, "skipped", "not now")
    assert play(case(passing, fault="it needs more")) == (NOTHING, "failed", "cannot be run: it needs more")


class TestRun:
    @pytest.fixture(autouse=True)
    def cases(self, monkeypatch: pytest.MonkeyPatch) -> None:
        plays = [Play(driver, "streaming") for driver in ("stream", "run", "arun-trio")]
        found = [case(looking, values={"play": one}) for one in plays]
        nothing: list[Broken] = []
        monkeypatch.setattr(runner, "collect", lambda: (found, nothing))
        monkeypatch.setattr(documents, "find", list[Any])

    def test_the_parts_make_up_the_whole(self) -> None:
        whole, halves = list(run(0, 1)), [*run(0, 2), *run(1, 2)]
        assert len([item for item in whole if isinstance(item, Proof)]) == 3
        assert set(halves) == set(whole)

    def test_what_it_yields(self) -> None:
        proof = next(run(0, 1))
        assert proof == Proof(
            ("held-json",),
            "looking",
            "tests/contract/test_x.py",
            3,
            "stream",
            "streaming",
            frozenset({"chunks", "result"}),
            "passed",
        )

    def test_after_one_that_was_stopped_no_other_is_begun(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(runner, "LIMIT", 0.05)
        nothing: list[Broken] = []
        monkeypatch.setattr(runner, "collect", lambda: ([case(threading.Event().wait)] * 2, nothing))
        details = [item.detail for item in run(0, 1) if isinstance(item, Proof)]
        stopped = "TooLong: it was stopped after 0.05 seconds"
        assert details == [stopped, "not run, as another case had to be stopped"]
