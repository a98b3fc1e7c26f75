"""Gathering what the parts of a run came to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contract import _exemptions
from tests.contract._exemptions import EXEMPTIONS
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.evidence import gather as gathering
from tools.contractdocs.evidence.gather import Gathering
from tools.contractdocs.evidence.model import Broken, Evidence, Example, Proof
from tools.contractdocs.project import Project

PROVED = Proof(
    ("held-json",), "test_it", "tests/contract/test_x.py", 3, "run", "http", frozenset({"tokens"}), "passed"
)
KNOWN = Broken("tests/contract/test_y.py", 1, "it is broken")


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MODULE", "tests.contractdocs._fake_run")


def test_parts_are_put_together_in_the_order_of_the_cases() -> None:
    evidence = Gathering().evidence()
    assert [proof.detail for proof in evidence.proofs] == ["1", "0"]
    assert {replace(proof, detail="") for proof in evidence.proofs} == {PROVED}
    assert evidence.examples == (Example("docs/0.md", 1, "passed"), Example("docs/1.md", 1, "passed"))
    assert evidence.unclaimed == (("tests/contract/test_x.py", 9, "test_loose"),)
    assert evidence.broken == (KNOWN,)


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("die", "it ended with exit code 3 while it ran test_it[run-http]; it said 'Fatal: no more memory'"),
        ("silence", "it ended with exit code 0 while it ran test_it[run-http]; it said ''"),
    ],
)
def test_a_run_that_does_not_come_to_its_end_is_broken(
    monkeypatch: pytest.MonkeyPatch, how: str, what: str
) -> None:
    monkeypatch.setenv("FAKE_RUN", how)
    broken = Gathering().evidence().broken
    assert [one.what for one in broken if one != KNOWN] == [f"the run did not come to its end: {what}"]


def test_a_run_that_takes_too_long_is_stopped() -> None:
    (broken,) = Gathering(parts=1, limit=0.0).evidence().broken
    assert "the run did not come to its end: it was stopped, as it took too long" in broken.what


def test_a_run_that_does_not_begin_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MODULE", "tests.contractdocs._nowhere")
    (broken,) = Gathering(parts=1).evidence().broken
    assert (broken.file, broken.line) == ("tools/contractdocs/evidence/run.py", 1)
    assert broken.what.startswith(
        "the run did not come to its end: it ended with exit code 1 while it ran nothing; it said '"
    )
    assert "No module named tests.contractdocs._nowhere" in broken.what


def test_exemptions_know_where_they_are_declared() -> None:
    exempt = Gathering().evidence().exempt
    assert [(one.clause, one.surface, one.drivers, one.kinds, one.reason) for one in exempt] == [
        (one.clause.id, one.surface.value, one.drivers, one.kinds, one.reason) for one in EXEMPTIONS
    ]
    text = PROJECT.files["tests/contract/_exemptions.py"].split("\n")
    assert {text[one.line - 1].strip() for one in exempt} == {"Exemption("}
    assert planted("FT1B", Project(PROJECT.files, evidence=Evidence(exempt=exempt))) == []


def test_exemptions_that_cannot_be_read_are_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_exemptions, "EXEMPTIONS")
    evidence = Gathering().evidence()
    assert evidence.exempt == ()
    (broken,) = [one for one in evidence.broken if one != KNOWN]
    assert broken.what.startswith("tests/contract/_exemptions.py cannot be imported: ImportError")
