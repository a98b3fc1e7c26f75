"""The tables of the page on performance, from the file of a run."""

from __future__ import annotations

import json
from typing import Any

from tools.contractdocs.findings import ROOT
from tools.contractdocs.project import Project
from tools.contractdocs.render.blocks import BLOCKS
from tools.contractdocs.render.pages import FILE


def figure(name: str, median: float, unit: str = "x", **more: Any) -> dict[str, Any]:
    return {"name": name, "median": median, "unit": unit, "bound": None, "work": None, "over": False} | more


def project(*sections: tuple[str, list[dict[str, Any]]], peers: tuple[str, ...] = ("other 1.0",)) -> Project:
    run = {
        "peers": peers,
        "environment": {"Python": "3.11.7", "CPUs": 2, "gc": [True, 700, 10, 10]},
        "sections": {slug: {"figures": figures} for slug, figures in sections},
    }
    return Project(files={FILE: json.dumps(run)})


def test_a_bounded_piece_of_work_is_a_row_with_what_others_take() -> None:
    bounded = figure("agent / raw", 0.714, bound="at most 1.1", work="a delta")
    found = BLOCKS["performance-bounds"](project(("delta", [bounded, figure("other 1.0 / raw", 12.34)])))
    assert found.splitlines() == [
        "| work | bound | finalturn | other 1.0 |",
        "| --- | --- | --- | --- |",
        "| a delta | at most 1.1 x | 0.71 x | 12.3 x |",
    ]


def test_throughput_is_the_other_way_round_and_memory_has_no_others() -> None:
    figures = [
        figure("raw / agent", 1.5, bound="at least 0.8", work="streams"),
        figure("raw / other 1.0", 0.05),
        figure("memory", 0.03, "KB", bound="at most 0.1", work="memory"),
    ]
    rows = BLOCKS["performance-bounds"](project(("streams", figures))).splitlines()[2:]
    assert rows == [
        "| streams | at least 0.8 x | 1.50 x | 0.05 x |",
        "| memory | at most 0.1 KB | 0.03 KB |  |",
    ]


def test_a_layer_is_a_row_with_its_share() -> None:
    figures = [figure("the whole", 9.0, "µs"), figure("JSON", 1.2, "µs"), figure("JSON, share", 13.3, "%")]
    rows = BLOCKS["performance-layers"](project(("layers", figures))).splitlines()[2:]
    assert rows == ["| JSON | 1.20 µs | 13.3 % |"]


def test_the_machine_of_the_run() -> None:
    assert BLOCKS["performance-run"](project()) == "- Python: 3.11.7\n- CPUs: 2"


def test_the_run_that_is_kept_has_all_of_it() -> None:
    kept = Project(files={FILE: (ROOT / FILE).read_text(encoding="utf-8")})
    assert len(BLOCKS["performance-bounds"](kept).splitlines()) == 12
    assert len(BLOCKS["performance-layers"](kept).splitlines()) == 11
    assert "httpx2" in BLOCKS["performance-run"](kept)
