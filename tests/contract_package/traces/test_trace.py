"""What a trace is."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from finalturn import StreamChunk
from finalturn.contract import Shown, Trace, Undecidable, Violation


def test_a_trace_is_its_records() -> None:
    trace = Trace((Shown(StreamChunk("a")),))
    assert trace == Trace((Shown(StreamChunk("a")),))
    assert trace != Trace(())
    with pytest.raises(FrozenInstanceError):
        trace.records = ()  # type: ignore[misc]


def test_a_violation_says_where_and_what() -> None:
    assert (Violation(3, "no more").record, Violation(3, "no more").expected) == (3, "no more")


def test_what_is_undecidable_says_why() -> None:
    assert str(Undecidable("needs the result")) == "needs the result"
