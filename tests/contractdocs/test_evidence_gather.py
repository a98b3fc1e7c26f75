"""Gathering what the parts of a run came to."""

from __future__ import annotations

import pytest

from tests.contract import _exemptions
from tests.contract._exemptions import EXEMPTIONS
from tests.contractdocs import _fake_run
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.evidence.gather import _exempt, gather
from tools.contractdocs.evidence.model import Evidence, Example
from tools.contractdocs.project import Project


def test_parts_are_put_together_in_the_order_of_the_files() -> None:
    evidence = gather(_fake_run.finish)
    assert evidence.proofs == (_fake_run.proved(1), _fake_run.proved(0))
    assert evidence.examples == (Example("docs/0.md", 1, "passed"), Example("docs/1.md", 1, "passed"))
    assert evidence.broken == (_fake_run.BROKEN,)


def test_a_part_that_does_not_come_to_its_end_is_broken() -> None:
    evidence = gather(_fake_run.die)
    assert [one.what for one in evidence.broken] == [
        "a process that runs the proofs ended with exit code 3",
        "it is broken",
    ]
    assert evidence.proofs == (_fake_run.proved(1),)
    (broken,) = gather(_fake_run.hang, limit=0.0).broken
    assert broken.what == "a process that runs the proofs took too long, and was stopped"


def test_exemptions_know_where_they_are_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    exempt, broken = _exempt()
    assert not broken
    assert [(one.clause, one.surface, one.drivers, one.kinds, one.reason) for one in exempt] == [
        (one.clause.id, one.surface.value, one.drivers, one.kinds, one.reason) for one in EXEMPTIONS
    ]
    text = PROJECT.files["tests/contract/_exemptions.py"].split("\n")
    assert {text[one.line - 1].strip() for one in exempt} == {"Exemption("}
    assert planted("FT1B", Project(PROJECT.files, evidence=Evidence(exempt=exempt))) == []
    monkeypatch.delattr(_exemptions, "EXEMPTIONS")
    exempt, (unreadable,) = _exempt()
    assert exempt == ()
    assert unreadable.what.startswith("tests/contract/_exemptions.py cannot be imported: ImportError")
