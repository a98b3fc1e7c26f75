"""Each check notices something: of all small changes of sound turns, at least one violates its clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import pytest

from finalturn import StreamChunk, StreamEvent
from finalturn.contract import CLAUSES, Clause, Record, Shown, Trace, TurnCancelled, verify
from tests.contract_package._traces import TEXT_CALL, TURNS, added, clean, without

NOT_BY_ONE_CHANGE = {"round-trip-exact": "it takes a message that its own dictionary does not hold"}
"""Clauses that have handwritten traces alone, and why."""

CHECKED = [clause for clause in CLAUSES if clause.check is not None and clause.id not in NOT_BY_ONE_CHANGE]


@cache
def foreign() -> tuple[Record, ...]:
    """A record of each kind, and chunks that a turn has none of, or no second one."""
    records = [record for name in TURNS for record in clean(name).records]
    return (
        *{type(record): record for record in records}.values(),
        Shown(StreamChunk(event=StreamEvent.STRUCTURED_REUSE)),
        Shown(StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START)),
        Shown(StreamChunk(TEXT_CALL, call=1)),
        Shown(StreamChunk("hm", call=1)),
        TurnCancelled(),
    )


def type_of(value: object) -> type[object]:
    return type(value)


def changes(value: Any) -> Iterator[Any]:
    """Values that differ a little."""
    kind = type_of(value)
    if kind is bool:
        yield not value
    elif kind is int:
        yield value + 1
    elif kind is str:
        yield from (f"{value}x", "")
    elif kind is tuple:
        yield from changed_items(value)
    elif is_dataclass(kind):
        for field in (one for one in fields(kind) if one.init and not one.name.startswith("_")):
            may_be_none = "None" in str(field.type)
            for other in (*changes(getattr(value, field.name)), *([None] if may_be_none else [])):
                try:
                    yield replace(value, **{field.name: other})
                except (TypeError, ValueError):
                    continue  # it cannot even be made


def changed_items(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for place, item in enumerate(items):
        before, after = items[:place], items[place + 1 :]
        yield before + after
        yield (*before, item, item, *after)
        yield from ((*before, other, *after) for other in changes(item))


def broken_traces(trace: Trace) -> Iterator[Trace]:
    """A trace with one record less, one twice, one that is foreign, two swapped, or one that is changed."""
    records = trace.records
    for place, record in enumerate(records):
        yield without(trace, place)
        yield from (added(trace, place, other) for other in (record, *foreign()))
        yield Trace((*records[:place], *records[place + 1 : place + 2], record, *records[place + 2 :]))
        for other in changes(record):
            yield Trace((*records[:place], other, *records[place + 1 :]))


@cache
def noticed() -> frozenset[str]:
    """The ids of the clauses that some change violates."""
    left = list(CHECKED)
    for trace in (trace for name in TURNS for trace in broken_traces(clean(name))):
        if not left:
            break
        violated = {finding.clause for finding in verify(trace, left) if finding.outcome == "violated"}
        left = [clause for clause in left if clause not in violated]
    return frozenset(clause.id for clause in CHECKED if clause not in left)


@pytest.mark.parametrize("clause", CHECKED, ids=str)
def test_a_check_notices_a_small_change_of_some_turn(clause: Clause) -> None:
    assert clause.id in noticed(), "nothing violates it: is its check wrong, or does it need a turn in TURNS?"
