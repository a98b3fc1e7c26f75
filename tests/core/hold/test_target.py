"""What a hold looks for."""

from __future__ import annotations

import pytest

from finalturn._core.hold import HoldGate
from finalturn._core.hold.target import Target
from tests.core._hold_gate import array, either, mapping, optional, scalar, ticket


@pytest.mark.parametrize(
    ("gate", "keys", "scalars", "brackets"),
    [
        (ticket(), "name", "", "{"),
        (optional(), "a b", "", "{"),
        (mapping(), "", "", "{"),
        (array(), "", "", "["),
        (either(), "", "", "[{"),
        (scalar(), "", '"-0123456789fnt', ""),
    ],
)
def test_what_is_looked_for(gate: HoldGate, keys: str, scalars: str, brackets: str) -> None:
    target = Target(gate)
    assert target.keys == set(keys.split())
    assert target.scalars == set(scalars)
    assert target.brackets == set(brackets)


@pytest.mark.parametrize(
    ("gate", "text", "starts"),
    [
        (ticket(), '{"a {} { "b {\n} {', [0, 4, 7, 12, 16]),
        (ticket(), "{a {{ {1 {' {}} [1 {\u00a0\"", [12]),
        (array(), '[1 [-2 ["a [[ [] [{ [t [f [n [', [0, 3, 7, 11, 12, 14, 17, 20, 23, 26, 29]),
        (array(), "[x [(1 a[1 a[0][0 f(x)[1 _[2 {", []),
        (scalar(), '{"a": [1', []),
    ],
)
def test_brackets_that_may_begin_an_answer(gate: HoldGate, text: str, starts: list[int]) -> None:
    assert [match.start() for match in Target(gate).candidate.finditer(text)] == starts


def test_the_gate_is_asked_about_a_value() -> None:
    gate = mapping()
    assert Target(gate).is_answer('{"a": 1}')
    assert not Target(gate).is_answer("{}")
    assert gate.asked == ['{"a": 1}', "{}"]
