"""Gathering what the parts of a run came to."""

from __future__ import annotations

import pytest

from tests.contract import _exemptions
from tests.contract._exemptions import EXEMPTIONS
from tests.contractdocs import _fake_run
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.evidence.gather import Work, gather
from tools.contractdocs.evidence.model import Broken, Evidence, Example
from tools.contractdocs.project import Project


def test_parts_are_put_together_in_the_order_of_the_files() -> None:
    evidence = gather(_fake_run.finish)
    assert evidence.proofs == (_fake_run.proved(1), _fake_run.proved(0))
    assert evidence.examples == (Example("docs/0.md", 1, "passed"), Example("docs/1.md", 1, "passed"))
    assert evidence.broken == (_fake_run.BROKEN,)


@pytest.mark.parametrize(("work", "code"), [(_fake_run.die, 3), (_fake_run.begin, 0)])
def test_a_run_that_does_not_come_to_its_end_is_broken(work: Work, code: int) -> None:
    _, broken = gather(work, parts=1).broken
    what = f"it ended with exit code {code} while it ran test_it[run-http]"
    assert broken == Broken(_fake_run.FILE, 3, f"the run did not come to its end: {what}")


def test_a_run_that_takes_too_long_is_stopped() -> None:
    (broken,) = gather(_fake_run.hang, parts=1, limit=0.0).broken
    assert (broken.file, broken.line) == ("tools/contractdocs/evidence/run.py", 1)
    what = "it was stopped, as it took too long, while it ran nothing"
    assert broken.what == f"the run did not come to its end: {what}"


def test_exemptions_know_where_they_are_declared() -> None:
    exempt = gather(_fake_run.finish).exempt
    assert [(one.clause, one.surface, one.drivers, one.kinds, one.reason) for one in exempt] == [
        (one.clause.id, one.surface.value, one.drivers, one.kinds, one.reason) for one in EXEMPTIONS
    ]
    text = PROJECT.files["tests/contract/_exemptions.py"].split("\n")
    assert {text[one.line - 1].strip() for one in exempt} == {"Exemption("}
    assert planted("FT1B", Project(PROJECT.files, evidence=Evidence(exempt=exempt))) == []


def test_exemptions_that_cannot_be_read_are_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_exemptions, "EXEMPTIONS")
    evidence = gather(_fake_run.finish)
    assert evidence.exempt == ()
    (broken,) = [one for one in evidence.broken if one != _fake_run.BROKEN]
    assert broken.what.startswith("tests/contract/_exemptions.py cannot be imported: ImportError")
