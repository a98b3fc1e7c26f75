"""Every path of a turn and every behaviour of a model, recorded: nothing breaks a clause."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from finalturn import Agent, ConfigurationError, ProviderError, SessionError, StructuredOutputConfig
from finalturn.contract import CLAUSES, CallEnded, Shown, Trace, TurnCancelled, TurnFailed, verify
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from finalturn.testing import record
from tests.contract._behaviours import BEHAVIOURS, MODES
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._paths import PATHS
from tests.contract._play import KINDS, WITH_EVERY_KIND
from tests.contract._scenes import ANSWER, FINAL, LOOKUP, Ticket, lookup
from tests.contract.test_behaviours import play_behaviour
from tests.contract_package._recorded import RecordedPlay, broken, left_after

PLAYS = [
    ("stream", "http"),
    ("astream-trio", "sync-stream"),
    ("run", "whole-reply"),
    ("arun-trio", "streaming"),
]
PLAYERS = [
    (driver, kind)
    for driver in (*CHUNK_DRIVERS, *TOKEN_DRIVERS)
    for kind in (KINDS if driver in WITH_EVERY_KIND else KINDS[:1])
]


def traces_of(
    name: str, driver: str = "astream-asyncio", kind: str = "streaming", **more: Any
) -> list[Trace]:
    play = RecordedPlay(driver, kind, sockets=False, **more)
    PATHS[name].play(play)
    assert len(play.traces) == 1
    return play.traces


@pytest.mark.parametrize("name", PATHS)
def test_no_path_breaks_a_clause(name: str) -> None:
    for driver, kind in PLAYS:
        assert broken(*traces_of(name, driver, kind)) == [], (driver, kind)


@pytest.mark.parametrize(
    ("share", "driver", "kind"),
    [(share, driver, kind) for share, (driver, kind) in enumerate(PLAYERS)],
)
def test_no_behaviour_breaks_a_clause(share: int, driver: str, kind: str) -> None:
    """Each driver plays one in three of them, so that several play each."""
    for mode, name in [*product(MODES, BEHAVIOURS)][share % 3 :: 3]:
        play = RecordedPlay(driver, kind, sockets=False)
        play_behaviour(play, name, mode)
        assert len(play.traces) == 1
        assert broken(*play.traces) == [], (name, mode)


@pytest.mark.parametrize("name", PATHS)
def test_no_path_breaks_a_clause_wherever_it_is_left(name: str) -> None:
    (whole,) = traces_of(name)
    shown = sum(isinstance(one, Shown) for one in whole.records)
    for items in range(1, shown + 1):
        (trace,) = traces_of(name, items=items)
        assert isinstance(trace.records[-1], TurnCancelled)
        assert sum(isinstance(one, Shown) for one in trace.records) == items
        assert broken(trace) == [], items


@pytest.mark.parametrize("name", PATHS)
def test_what_a_path_shows_decides_nothing_alone(name: str) -> None:
    (whole,) = traces_of(name)
    shown = Trace(tuple(one for one in whole.records if isinstance(one, Shown)))
    found = {one.clause.id: one.outcome for one in verify(shown)}
    assert "violated" not in found.values()
    assert {clause for clause, outcome in found.items() if outcome == "upheld"} == {
        "close-stops-work",
        "round-trip-exact",
    }


def mine(messages: Any, text: str) -> bool:
    raise LookupError("mine")


class Full(InMemorySessions):
    """A store that cannot be written."""

    def append(self, *given: Any) -> None:
        raise OSError("full")


ASKING = StructuredOutputConfig(final_turn_only=True, should_finalize=mine)
NOTHING: Any = lambda: None  # noqa: E731
FAILING: list[tuple[type[Exception], Agent[Any]]] = [
    (LookupError, Agent(Scripted("Hi."), response_format=Ticket, structured_output=ASKING)),
    (SessionError, Agent(Scripted("Hi."), sessions=Full())),
    (ProviderError, Agent(Scripted(["Hi.", Scripted.CUT]))),
    (ValueError, Agent(Scripted(["Hi.", LOOKUP], ["Yes", ValueError("x")]), tools=[lookup])),
    (
        ProviderError,
        Agent(Scripted("Hi.", "no", ["no", Scripted.CUT]), response_format=Ticket, structured_output=FINAL),
    ),
    (ConfigurationError, Agent(Scripted("Hi."), context=[NOTHING])),
]


@pytest.mark.parametrize(("error", "agent"), FAILING)
def test_no_turn_that_fails_breaks_a_clause(error: type[Exception], agent: Agent[Any]) -> None:
    session = "s" if error is SessionError else None
    with record(agent) as recording, pytest.raises(error):
        agent.run("Where is it?", session=session)
    (trace,) = recording.traces
    assert trace.records[-1] == TurnFailed(error.__name__)
    assert broken(trace) == []


def test_a_trace_decides_most_clauses() -> None:
    (trace,) = traces_of("synthesis")
    upheld = [one.clause for one in verify(trace) if one.outcome == "upheld"]
    assert upheld == [clause for clause in CLAUSES if clause.check is not None]
    assert len(upheld) > 30


def test_the_verdict_of_a_call_is_in_its_trace() -> None:
    answers = Scripted([LOOKUP], "Done.", "nonsense", [], ANSWER)
    agent = Agent(answers, tools=[lookup], response_format=Ticket, structured_output=FINAL)
    trace = left_after(agent, "Where is it?", None)
    verdicts = [one.verdict for one in trace.records if isinstance(one, CallEnded)]
    assert verdicts == ["calls", "invalid", "invalid", "invalid", "valid"]
