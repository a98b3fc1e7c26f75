"""What recorded turns break."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from finalturn import Agent
from finalturn._testing.conformance.traced import broken_in
from finalturn.contract import CLAUSES, Check, Clause, Trace, Undecidable, Violation
from finalturn.providers import Scripted
from finalturn.testing import record


def recorded() -> list[Trace]:
    agent = Agent(Scripted("Hello"))
    with record(agent) as recording:
        agent.run("Hi")
    return recording.traces


def clause(check: Check | None) -> list[Clause]:
    return [replace(CLAUSES[0], check=check)]


def at_the_second(trace: Trace) -> Iterator[Violation]:
    yield Violation(1, "silence")
    yield Violation(2, "more of it")


def upheld(trace: Trace) -> Iterator[Violation]:
    return iter(())


def undecidable(trace: Trace) -> Iterator[Violation]:
    raise Undecidable("no inputs")


def test_a_real_turn_breaks_nothing() -> None:
    assert len(recorded()) == 1
    assert broken_in(recorded()) == {}


def test_the_first_violation_is_told() -> None:
    expected = {CLAUSES[0].id: "record 1 of a recorded turn: expected silence"}
    assert broken_in(recorded(), clause(at_the_second)) == expected


def test_clauses_that_nothing_breaks_are_not_named() -> None:
    for check in (upheld, undecidable, None):
        assert broken_in(recorded(), clause(check)) == {}
