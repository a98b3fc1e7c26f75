from __future__ import annotations

from finalturn.serve._native import Native
from finalturn.serve._projection import Projection
from finalturn.serve._whole import Silent


def test_formats_are_projections() -> None:
    formats: list[Projection] = [Native(), Silent()]
    assert all(callable(one.records) for one in formats)
