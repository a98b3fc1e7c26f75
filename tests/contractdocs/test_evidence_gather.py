"""Gathering what the parts of a run came to."""

from __future__ import annotations

import sys
from dataclasses import replace

from tests.contract._exemptions import EXEMPTIONS
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.evidence.gather import gather
from tools.contractdocs.evidence.model import Broken, Evidence, Example, Proof

PART = """
import os, pickle, sys
from tools.contractdocs.evidence.model import Broken, Example, Proof
part = int(sys.argv[1])
if part == {odd}:
    {does}
read = frozenset({{"tokens"}})
proof = Proof(("held-json",), "test_it", "test_x.py", 9 - part, "run", "http", read, "passed")
broken = Broken("test_y.py", 1, "it is broken")
pickle.dump([broken, proof, Example(f"docs/{{part}}.md", 1, "passed")], sys.stdout.buffer)
"""
"""Comes to its end, but for one part."""


def gathered(odd: int = -1, does: str = "pass", limit: float = 60.0) -> Evidence:
    return gather([sys.executable, "-c", PART.format(odd=odd, does=does)], limit)


def test_parts_are_put_together_in_the_order_of_the_files() -> None:
    evidence = gathered()
    assert [proof.line for proof in evidence.proofs] == [8, 9]
    assert evidence.examples == (Example("docs/0.md", 1, "passed"), Example("docs/1.md", 1, "passed"))
    assert evidence.broken == (Broken("test_y.py", 1, "it is broken"),)


def test_a_part_that_does_not_come_to_its_end_is_broken() -> None:
    evidence = gathered(0, "os._exit(3)")
    assert [one.what for one in evidence.broken] == [
        "a process that runs the proofs ended with exit code 3",
        "it is broken",
    ]
    assert [proof.line for proof in evidence.proofs] == [8]
    (broken,) = gather([sys.executable, "-c", "input()"], limit=0.0).broken
    assert broken.what == "a process that runs the proofs took too long, and was stopped"


def test_exemptions_are_found_where_they_are_declared() -> None:
    file = "tests/contract/_exemptions.py"
    passed = [
        Proof((one.clause.id,), "t", "f.py", 1, driver, kind, frozenset({one.surface}), "passed")
        for one in EXEMPTIONS
        for driver, kind in zip(one.drivers[:1], one.kinds[:1], strict=True)
    ]
    evidence = Evidence(exempt=EXEMPTIONS)
    assert planted("FT1B", replace(PROJECT, evidence=evidence)) == []
    found = planted("FT1B", replace(PROJECT, evidence=replace(evidence, proofs=tuple(passed))))
    lines = PROJECT.files[file].split("\n")
    places = [int(line.removeprefix(f"{file}:").split()[0]) for line in found]
    assert len(set(places)) == len(EXEMPTIONS)
    assert {lines[place - 1].strip() for place in places} == {"Exemption("}
