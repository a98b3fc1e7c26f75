from __future__ import annotations

from finalturn._serve.formats.native import Native
from finalturn._serve.formats.projection import Projection
from finalturn._serve.runs.whole import Silent


def test_formats_are_projections() -> None:
    formats: list[Projection] = [Native(), Silent()]
    assert all(callable(one.records) for one in formats)
