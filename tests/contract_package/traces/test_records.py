"""The records of a trace: each is frozen, documented, and one of `Record`."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest

from finalturn import contract
from finalturn._contract.traces import records as _records
from finalturn.contract import Record, TurnSaved
from finalturn.stability import marker_of

KINDS: tuple[type[Any], ...] = get_args(Record)


def test_a_record_is_each_of_them() -> None:
    assert {kind.__name__ for kind in KINDS} == set(_records.__all__) - {"Record"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_is_a_frozen_value_that_is_public_and_beta(kind: type[Any]) -> None:
    assert is_dataclass(kind)
    assert getattr(contract, kind.__name__) is kind
    marker = marker_of(kind)
    assert marker is not None and marker.level == "beta"
    assert hash(TurnSaved()) == hash(TurnSaved())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_field_is_documented(kind: type[Any]) -> None:
    described = re.findall(r"^    (\w+): ", inspect.getdoc(kind) or "", re.MULTILINE)
    assert described == [field.name for field in fields(kind)]
