"""Leaving a turn before its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import anyio

from finalturn import Tool, tool
from finalturn.contract import CLOSE_STOPS_WORK, TOOL_CALLS_ALWAYS_STREAM
from finalturn.providers import Scripted
from tests.contract._http_drivers import HTTP_DRIVERS
from tests.contract._leave import Leave
from tests.contract._play import Play
from tests.contract._proves import IN_PROCESS, SHOWING, STREAMING, proves

LEFT_FROM_OUTSIDE = [driver for driver in (*IN_PROCESS, *HTTP_DRIVERS) if driver != "run"]


def acting() -> tuple[Tool[..., Any], list[str]]:
    """A tool, and what it notes when it runs."""
    ran: list[str] = []

    @tool
    def act() -> str:
        """Acts."""
        ran.append("act")
        return "done"

    return act, ran


class Silence:
    """A point of an answer at which the model says nothing more."""

    def __init__(self, play: Play) -> None:
        self.begun = threading.Event()
        self.over = threading.Event()
        self.item: Callable[[], object] = self._block if play.waits_in_a_thread else self._wait

    def _block(self) -> None:
        self.begun.set()
        self.over.wait()

    async def _wait(self) -> None:
        self.begun.set()
        await anyio.sleep_forever()


@proves(CLOSE_STOPS_WORK, drivers=SHOWING)
def test_leaving_at_the_first_word_stops_the_model_and_starts_no_tool(play: Play) -> None:
    act, ran = acting()
    silence = Silence(play)
    # A server does not wait for its reader, but for this.
    more = [silence.item] if play.kind == "http" else []
    with play.over_sockets.model(["one ", "two ", *more, Scripted.call("act")], then="never") as model:

        def stopped() -> None:
            model.wait_until(lambda: (model.under_way, model.abandoned) == (0, int(play.streams)))

        leave = Leave(at=lambda observed: observed.count > 0, then=stopped)
        observed = play.turn(model, tools=[act], leave=leave)
        silence.over.set()
    assert (observed.error, observed.results, observed.saved) == (None, [], ())
    assert observed.content == ("one " if play.streams else "one two ")
    assert len(observed.requests) == 1
    assert ran == []


@proves(CLOSE_STOPS_WORK, drivers=LEFT_FROM_OUTSIDE)
def test_leaving_while_the_model_is_silent_stops_it_and_starts_no_tool(play: Play) -> None:
    act, ran = acting()
    silence = Silence(play)
    with play.over_sockets.model([silence.item, Scripted.call("act")], then="never") as model:

        def stopped() -> None:
            if play.kind.startswith("sync"):
                # Nothing can stop a thread: the turn leaves it where it waits, and drops what it brings.
                assert model.under_way == 1
            else:
                model.wait_until(lambda: (model.under_way, model.abandoned) == (0, 1))
            silence.over.set()

        observed = play.turn(model, tools=[act], leave=Leave(when=silence.begun, then=stopped))
    assert (observed.error, observed.results, observed.saved) == (None, [], ())
    assert observed.content == ""
    assert len(observed.requests) == 1
    assert ran == []


@proves(CLOSE_STOPS_WORK, TOOL_CALLS_ALWAYS_STREAM, drivers=STREAMING)
def test_leaving_at_a_tool_call_starts_no_tool(play: Play) -> None:
    act, ran = acting()
    leave = Leave(at=lambda observed: observed.count == 2)
    observed = play(["Look. ", Scripted.call("act")], "never", tools=[act], leave=leave)
    assert observed.shape == ["content@0", "call:act@0"]
    assert (observed.error, observed.results, observed.saved) == (None, [], ())
    assert len(observed.requests) == 1
    assert ran == []
