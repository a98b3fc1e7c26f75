"""The benchmark runs, and counts as it says. No time is tested here."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench._measure import Bound, Case, Figure, Section, in_rounds, ratio, summary, times
from tools.bench._server import json_block, prose

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
PROMISED: dict[str, set[str | None]] = {
    "import": {"at most 1.2", None},
    "delta": {"at most 1.1", None},
    "paced": {"at most 1.1", None},
    "layers": {None},
    "turn": {"at most 1.5", None},
    "history": {"at most 1.5", None},
    "tools": {"at most 1.3", None},
    "first": {"at most 1.2", None},
    "streams": {"at least 0.8", "at most 0.1", None},
    "talk": {"at most 1", "at most 0.05", None},
}
LAYERS = ["socket and HTTP", "framing", "JSON", "codec", "machine", "hold", "driver", "projection"]


def test_it_prints_every_section_and_writes_every_figure(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, "-m", "tools.bench", "--quick", "--json", file],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    sections = json.loads(file.read_text())["sections"]
    assert list(sections) == list(PROMISED)
    for slug, section in sections.items():
        assert section["title"] in done.stdout
        assert all(math.isfinite(figure["median"]) for figure in section["figures"])
        assert all(figure["name"] in done.stdout for figure in section["figures"])
        assert {figure["bound"] for figure in section["figures"]} == PROMISED[slug]
    names = [figure["name"] for figure in sections["layers"]["figures"]]
    assert all(f"{layer}, share" in names for layer in LAYERS)
    bounds = done.stdout.split("The bounds\n")[1]
    assert bounds.count("kept\n") + bounds.count("OVER\n") == 10


def test_every_case_has_its_turn_in_each_round_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def case(name: str) -> Case:
        async def measured() -> float:
            order.append(name)
            return float(len(order))

        return measured

    found = asyncio.run(in_rounds({"a": case("a"), "b": case("b")}, 3))
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"
    assert found == {"a": (3.0, 6.0, 7.0), "b": (4.0, 5.0, 8.0)}


def test_a_figure_is_the_median_of_its_rounds() -> None:
    figure = times("a", (0.003, 0.001, 0.002), "ms", Bound(2.5))
    assert figure.median == pytest.approx(2.0)
    assert not figure.over
    assert Figure("b", (1.0, 3.0, 4.0), "x", Bound(2.5)).over
    assert not Figure("c", (9.0,), "x").over


def test_a_bound_from_below_is_broken_by_what_is_less() -> None:
    assert Figure("a", (0.7,), "x", Bound(0.8, side="at least")).over
    assert not Figure("a", (0.9,), "x", Bound(0.8, side="at least")).over


def test_the_table_of_bounds_holds_what_is_promised_of_a_piece_of_work() -> None:
    promised = Figure("a", (1.0,), "x", Bound(2.0, work="some work"))
    section = Section("s", "S", "", (promised, Figure("b", (1.0,), "x", Bound(2.0))))
    assert summary([section]).count("at most 2 x: kept") == 1
    assert "some work" in summary([section])


def test_a_ratio_is_taken_round_by_round() -> None:
    assert ratio("a", (2.0, 30.0, 8.0), (1.0, 10.0, 2.0)).values == (2.0, 3.0, 4.0)


@pytest.mark.parametrize("count", [1, 40, 3000])
def test_the_pieces_are_as_many_as_asked_for(count: int) -> None:
    assert len(prose(count)) == len(json_block(count)) == count
    assert all(prose(count) + json_block(count))
    with pytest.raises(ValueError, match="column"):
        json.loads("".join(json_block(count)))
