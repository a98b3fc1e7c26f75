"""Drifts between the contract and the evidence of a run; an exception in the check itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from finalturn.contract import CLAUSES, HELD_JSON, Surface
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._exemptions import Exemption
from tests.contract._http_drivers import HTTP_DRIVERS
from tests.contract._play import KINDS
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.checks import kinds
from tools.contractdocs.checks.proofs import required
from tools.contractdocs.commands import findings_of
from tools.contractdocs.evidence import model
from tools.contractdocs.evidence.model import Broken, Evidence, Example, Proof
from tools.contractdocs.findings import Finding, Kind, broken
from tools.contractdocs.project import Project

FILE = "tests/contract/test_x.py"
HELD = "{}:{}".format(*PROJECT.place_of_clause("held-json"))


def case(clause: str = "held-json", surface: str = "chunks", *pair: str, **changes: Any) -> Proof:
    driver, kind = pair or ("stream", "http")
    proof = Proof((clause,), "test_it", FILE, 10, driver, kind, frozenset({surface}), "passed")
    return replace(proof, **changes)


WHOLE = tuple(
    case(clause.id, surface.value, driver, kind)
    for clause in CLAUSES
    for surface in sorted(clause.surfaces)
    for driver, kind in required(surface.value)
)
"""Each combination is proved by one case."""
HELD_ON_CHUNKS = case()


def after(*proofs: Proof, **changes: Any) -> Project:
    """The repository after a run with these proofs."""
    return replace(PROJECT, evidence=Evidence(proofs or WHOLE, **changes)).sharing(PROJECT)


def without(surface: str, drivers: tuple[str, ...], providers: tuple[str, ...]) -> tuple[Proof, ...]:
    lost = {case("held-json", surface, driver, kind) for driver in drivers for kind in providers}
    return tuple(proof for proof in WHOLE if proof not in lost)


def test_nothing_is_found_where_everything_is_proved() -> None:
    for code in ("FT10", "FT11", "FT18", "FT19", "FT1A", "FT1B", "FT1C"):
        assert planted(code, after()) == []


def test_the_matrix_is_that_of_the_tests() -> None:
    assert tuple(CHUNK_DRIVERS) == model.CHUNK_DRIVERS
    assert tuple(TOKEN_DRIVERS) == model.TOKEN_DRIVERS
    assert tuple(HTTP_DRIVERS) == model.HTTP_DRIVERS
    assert KINDS == model.PROVIDERS


def test_a_clause_without_a_test() -> None:
    project = after(*(proof for proof in WHOLE if proof.clauses != ("held-json",)))
    assert planted("FT10", project) == [
        f"{HELD} FT10 unproved: held-json has no test -> add @proves(HELD_JSON) to a test in tests/contract"
    ]
    assert planted("FT11", project) == []
    assert len(planted("FT10", PROJECT)) == len(PROJECT.clauses)


def test_what_could_not_be_run_is_told_alone() -> None:
    what = "tests/contract/test_x.py cannot be imported: SyntaxError: invalid syntax"
    project = after(HELD_ON_CHUNKS, broken=(Broken(FILE, 5, what),))
    assert planted("FT10", project) == planted("FT11", project) == []
    assert planted("FT1C", project) == [
        f"{FILE}:5 FT1C proof-not-run: {what} -> mend it: what could not be run proves nothing"
    ]


@pytest.mark.parametrize(
    ("surface", "drivers", "providers", "missing"),
    [
        ("tokens", ("run",), ("http",), "run with http"),
        ("tokens", ("run", "arun-trio"), ("http",), "run with http; arun-trio with http"),
        ("chunks", ("stream",), ("sync-stream", "http"), "stream with sync-stream, http"),
        ("tokens", ("arun-trio",), ("streaming", "http"), "arun-trio with streaming, http"),
    ],
)
def test_combinations_that_are_missing(
    surface: str, drivers: tuple[str, ...], providers: tuple[str, ...], missing: str
) -> None:
    assert planted("FT11", after(*without(surface, drivers, providers))) == [
        f"{HELD} FT11 unproved-combination: held-json is not proved on {surface}: {missing}"
        " -> let a test of it look at that surface; do not narrow its drivers or kinds"
    ]


@pytest.mark.parametrize(
    ("proof", "found"),
    [
        (case(read=frozenset({"result"})), 1),  # it looked elsewhere, and proves nothing
        (case(outcome="failed"), 0),  # a finding of its own
        (case(outcome="skipped"), 0),
    ],
)
def test_a_case_counts_when_it_passed_and_looked(proof: Proof, found: int) -> None:
    project = after(*without("chunks", ("stream",), ("http",)), proof)
    assert len(planted("FT11", project)) == found


def test_an_exemption_needs_no_proof_and_goes_when_it_is_proved() -> None:
    one = Exemption(HELD_JSON, Surface.CHUNKS, ("stream",), ("http",), "It makes no sense.")
    project = after(*without("chunks", ("stream",), ("http",)), exempt=(one,))
    assert planted("FT11", project) == planted("FT1B", project) == []
    line = PROJECT.line_of("tests/contract/_exemptions.py", "    Exemption(\n")
    head = f"tests/contract/_exemptions.py:{line} FT1B stale-exemption: an exemption is stale:"
    assert planted("FT1B", after(exempt=(one,))) == [
        f"{head} held-json on chunks: stream with http is proved -> take it out, or correct it"
    ]
    assert planted("FT1B", after(exempt=(replace(one, drivers=("run",)),))) == [
        f"{head} held-json on chunks: run with http is not required -> take it out, or correct it"
    ]


@pytest.mark.parametrize(("outcome", "was"), [("failed", "failed"), ("skipped", "was skipped")])
def test_a_case_that_did_not_pass(outcome: Any, was: str) -> None:
    remedy = "mend the code, or the test if it is wrong; a promise is not changed to fit"
    bad = case(outcome=outcome, detail="no {braces}")
    assert planted("FT1A", after(bad, HELD_ON_CHUNKS)) == [
        f"{FILE}:10 FT1A proof-fails: test_it {was} in 1 of 2 cases, first through stream with http:"
        f" no {{braces}} -> {remedy}"
    ]
    assert f"{was} in 1 of 1 cases: no" in planted("FT1A", after(replace(bad, driver="", kind="")))[0]


def test_an_example_that_fails_or_is_not_run() -> None:
    failed = Example("README.md", 31, "failed", "printed 'ok'; the page says 'skipped'")
    skipped = (Example("docs/a.md", 3, "skipped"), Example("docs/a.md", 9, "skipped", "it needs a key"))
    evidence = Evidence(examples=(failed, *skipped))
    assert planted("FT18", Project({}, evidence=evidence)) == [
        "README.md:31 FT18 example-broken: the example printed 'ok'; the page says 'skipped'"
        " -> find out which of the two is right, and change the other"
    ]
    assert planted("FT19", Project({}, evidence=evidence)) == [
        "docs/a.md:3 FT19 example-not-run: the example is not run, and does not say why"
        ' -> let it run, or write test="skip: why it cannot" behind the language'
    ]


@pytest.mark.parametrize(
    "opening", ["```text\nfrom finalturn import Agent", "```\nimport finalturn", "~~~py\nx"]
)
def test_python_that_nothing_runs(opening: str) -> None:
    text = f"# A\n\n{opening}\n{opening[:3]}\n\n```text\nplain\n```\n"
    evidence = Evidence(examples=(Example("README.md", 1, "passed"),))
    assert planted("FT19", Project({"docs/a.md": text, "CHANGELOG.md": text}, evidence=evidence)) == [
        "docs/a.md:3 FT19 example-not-run: the example is Python in a fence that nothing runs"
        " -> begin it with ```python"
    ]


def fail(project: Project) -> Iterator[Finding]:
    raise ValueError("two\n  lines")
    yield


def test_a_check_that_raises_or_sees_nothing_is_a_finding() -> None:
    line = fail.__code__.co_firstlineno + 1
    assert findings_of(Kind("FTZZ", "planted", fail), PROJECT) == [
        f"tests/contractdocs/test_checks_proofs.py:{line} FT60 looked-at-nothing: FTZZ planted could not look"
        " (ValueError: two lines) -> mend it; a check that saw nothing fails"
    ]
    error = SyntaxError("invalid syntax", (model.__file__, 7, 1, "x = = 1"))
    assert broken(error, "the code cannot be imported").startswith(
        "tools/contractdocs/evidence/model.py:7 FT60 looked-at-nothing: the code cannot be imported (Syntax"
    )
    assert planted("FT60", after(examples=(Example("README.md", 1, "passed"),))) == []
    missing = ["there are no proofs", "there are no examples"]
    assert [line.split(": ")[1].partition(" ->")[0] for line in planted("FT60", PROJECT)] == missing


def test_the_page_of_all_kinds_tells_of_each() -> None:
    told = [line[4:] for line in PROJECT.files["docs/drift.md"].split("\n") if line.startswith("### ")]
    assert told == [f"{one.code} {one.name}" for one in kinds()]
