"""Drifts between the contract and the evidence of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._play import KINDS
from tests.contractdocs._evidence import FILE, WHOLE, one_case, with_evidence, without
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.checks import kinds
from tools.contractdocs.checks import proofs as proof_matrix
from tools.contractdocs.checks.proofs import ALL_DRIVERS, PROVIDERS
from tools.contractdocs.evidence.model import Broken, Evidence, Example, Exempt, Proof
from tools.contractdocs.project import Project

HELD = "{}:{}".format(*PROJECT.place_of_clause("held-json"))


def test_nothing_is_found_where_everything_is_proved() -> None:
    for kind in kinds():
        assert not kind.code.startswith("FT1") or planted(kind.code, with_evidence()) == []


def test_the_matrix_is_that_of_the_tests() -> None:
    assert tuple(CHUNK_DRIVERS) == proof_matrix.CHUNK_DRIVERS
    assert tuple(TOKEN_DRIVERS) == proof_matrix.TOKEN_DRIVERS
    assert KINDS == PROVIDERS


class TestUnproved:
    def test_a_clause_without_a_test(self) -> None:
        left = tuple(proof for proof in WHOLE.proofs if proof.clauses != ("held-json",))
        assert planted("FT10", with_evidence(proofs=left)) == [
            f"{HELD} FT10 unproved: held-json has no test"
            " -> add @proves(HELD_JSON) to a test in tests/contract"
        ]
        assert planted("FT11", with_evidence(proofs=left)) == []

    def test_without_a_run_no_clause_is_proved(self) -> None:
        assert len(planted("FT10", PROJECT)) == len(PROJECT.clauses)

    def test_what_could_not_be_run_is_told_first(self) -> None:
        broken = (Broken(FILE, 1, "broken"),)
        assert planted("FT10", with_evidence(Evidence(), broken=broken)) == []
        assert planted("FT11", with_evidence(Evidence((one_case(),)), broken=broken)) == []


class TestUnprovedCombination:
    @pytest.mark.parametrize(
        ("surface", "drivers", "kinds", "missing"),
        [
            ("tokens", ("run",), ("http",), "run with http"),
            ("tokens", TOKEN_DRIVERS, ("http",), "every driver with http"),
            (
                "chunks",
                ("stream", "astream-trio"),
                PROVIDERS,
                "stream and astream-trio with every kind of provider",
            ),
            ("chunks", CHUNK_DRIVERS, PROVIDERS, "every driver with every kind of provider"),
            ("tokens", ("arun-trio",), ("streaming", "http"), "arun-trio with streaming and http"),
        ],
    )
    def test_what_is_missing(
        self, surface: str, drivers: tuple[str, ...], kinds: tuple[str, ...], missing: str
    ) -> None:
        assert planted("FT11", without("held-json", surface, drivers, kinds)) == [
            f"{HELD} FT11 unproved-combination: held-json is not proved on {surface}: {missing}"
            " -> let a test of it look at that surface; do not narrow its drivers or kinds"
        ]

    def test_several_groups(self) -> None:
        project = without("held-json", "tokens", ("run",), ("http",))
        gone = [
            one for one in project.evidence.proofs if one.driver != "arun-trio" or "tokens" not in one.read
        ]
        (found,) = [
            line for line in planted("FT11", with_evidence(proofs=tuple(gone))) if "held-json" in line
        ]
        assert "tokens: run with http; arun-trio with every kind of provider ->" in found

    def test_a_case_that_looked_elsewhere_proves_nothing(self) -> None:
        project = without("held-json", "chunks", ("stream",), ("http",))
        blind = one_case(read=frozenset({"result"}))
        (found,) = planted("FT11", with_evidence(project.evidence, proofs=(*project.evidence.proofs, blind)))
        assert "held-json is not proved on chunks: stream with http" in found

    @pytest.mark.parametrize("outcome", ["failed", "skipped"])
    def test_a_case_that_did_not_pass_is_told_elsewhere(self, outcome: str) -> None:
        evidence = without("held-json", "chunks", ("stream",), ("http",)).evidence
        proofs = (*evidence.proofs, one_case(outcome=outcome))
        assert planted("FT11", with_evidence(proofs=proofs)) == []

    def test_an_exemption_needs_no_proof(self) -> None:
        evidence = without("held-json", "chunks", ("stream",), ("http",)).evidence
        exempt = (Exempt("held-json", "chunks", ("stream",), ("http",), "It makes no sense."),)
        assert planted("FT11", with_evidence(evidence, exempt=exempt)) == []
        assert planted("FT1B", with_evidence(evidence, exempt=exempt)) == []


class TestStaleExemption:
    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({}, "held-json on chunks: it is proved on stream with http"),
            ({"clause": "held"}, "held on chunks: there is no such clause"),
            ({"surface": "history"}, "held-json on history: the clause does not claim this surface"),
            ({"drivers": ("run",)}, "held-json on chunks: nothing is required of run with http"),
            ({"kinds": ("ftp",)}, "held-json on chunks: nothing is required of stream with ftp"),
            ({"reason": ""}, "held-json on chunks: it does not say why in a sentence"),
            ({"kinds": ()}, "held-json on chunks: it names no combination"),
        ],
    )
    def test_what_is_wrong_with_it(self, changes: dict[str, object], said: str) -> None:
        exempt = Exempt("held-json", "chunks", ("stream",), ("http",), "It makes no sense.", line=7)
        project = with_evidence(exempt=(replace(exempt, **changes),))  # type: ignore[arg-type]
        assert planted("FT1B", project) == [
            f"tests/contract/_exemptions.py:7 FT1B stale-exemption: an exemption is stale: {said}"
            " -> take it out, or correct it"
        ]


def ending(outcome: str, detail: str, *, count: int = 2) -> tuple[Proof, ...]:
    others = [one_case(driver=driver) for driver in ALL_DRIVERS[count:]]
    bad = [one_case(driver=driver, outcome=outcome, detail=detail) for driver in ALL_DRIVERS[:count]]
    return (*WHOLE.proofs, *bad, *others)


class TestCases:
    def test_skipped(self) -> None:
        assert planted("FT12", with_evidence(proofs=ending("skipped", "no network"))) == [
            f"{FILE}:10 FT12 skipped-is-not-proof: 2 of 6 cases of test_mine were skipped (no network) -> let"
            " them run, or declare in tests/contract/_exemptions.py what makes no sense"
        ]

    def test_failed(self) -> None:
        assert planted("FT1A", with_evidence(proofs=ending("failed", "AssertionError: no {braces}"))) == [
            f"{FILE}:10 FT1A proof-fails: test_mine failed in 2 of 6 cases, first through stream with http:"
            " AssertionError: no {braces} -> mend the code, or the test if it is wrong; a promise is"
            " not changed to fit"
        ]

    def test_failed_without_a_play(self) -> None:
        case = one_case(driver="", kind="", outcome="failed", detail="ValueError")
        (found,) = planted("FT1A", with_evidence(proofs=(case,)))
        assert "test_mine failed in 1 of 1 cases, first: ValueError" in found

    def test_one_that_looked_at_nothing(self) -> None:
        proofs = (*WHOLE.proofs, one_case(read=frozenset()), one_case(read=frozenset({"request"})))
        assert planted("FT13", with_evidence(proofs=proofs)) == [
            f"{FILE}:10 FT13 proof-of-nothing: test_mine carries held-json, and never looked at what that is"
            " seen on (chunks, http, tokens) -> assert on what the surface showed, or take the clause off"
        ]

    def test_one_of_several_clauses_that_it_did_not_look_at(self) -> None:
        case = one_case(clauses=("held-json", "schema-stays-out"))
        (found,) = planted("FT13", with_evidence(proofs=(*WHOLE.proofs, case)))
        assert "test_mine carries schema-stays-out, and never looked" in found

    def test_without_a_clause(self) -> None:
        assert planted("FT14", with_evidence(unclaimed=((FILE, 3, "test_loose"),))) == [
            f"{FILE}:3 FT14 test-without-clause: test_loose proves no clause"
            " -> name its clause with @proves, or move it out of tests/contract"
        ]

    def test_what_could_not_be_run(self) -> None:
        broken = (
            Broken(FILE, 5, "tests/contract/test_x.py cannot be imported: SyntaxError: invalid syntax"),
        )
        assert planted("FT1C", with_evidence(broken=broken)) == [
            f"{FILE}:5 FT1C proof-not-run: {FILE} cannot be imported: SyntaxError: invalid syntax"
            " -> mend it: what could not be run proves nothing"
        ]


class TestExamples:
    def test_broken(self) -> None:
        example = Example("README.md", 31, "failed", "printed 'ok'; the page says 'skipped'")
        assert planted("FT18", with_evidence(examples=(example,))) == [
            "README.md:31 FT18 example-broken: the example printed 'ok'; the page says 'skipped'"
            " -> find out which of the two is right, and change the other"
        ]

    def test_not_run(self) -> None:
        examples = (Example("docs/a.md", 3, "skipped"), Example("docs/a.md", 9, "skipped", "it needs a key"))
        project = Project({}, evidence=with_evidence(examples=examples).evidence)
        assert planted("FT19", project) == [
            "docs/a.md:3 FT19 example-not-run: the example is not run, and does not say why"
            ' -> let it run, or write test="skip: why it cannot" behind the language'
        ]

    @pytest.mark.parametrize("language", ["text", "", "console"])
    def test_python_that_nothing_runs(self, language: str) -> None:
        text = f"# A\n\n```{language}\nfrom finalturn import Agent\n```\n\n```text\nplain\n```\n"
        project = with_evidence(examples=(Example("README.md", 1, "passed"),))
        project = Project({"docs/a.md": text, "CHANGELOG.md": text}, evidence=project.evidence)
        assert planted("FT19", project) == [
            f"docs/a.md:3 FT19 example-not-run: the example is Python in a {language or 'nameless'} fence,"
            " which nothing runs -> begin it with ```python"
        ]

    def test_a_python_fence_that_the_run_did_not_find(self) -> None:
        project = with_evidence(examples=(Example("docs/a.md", 1, "passed"),))
        files = {"docs/a.md": "```python\nx = 1\n```\n\n~~~python\ny = 2\n~~~\n"}
        (found,) = planted("FT19", Project(files, evidence=project.evidence))
        assert found.startswith("docs/a.md:5 FT19 example-not-run: the example is Python in a python fence")
