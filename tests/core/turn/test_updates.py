"""How rules change what a turn remembers: each touches its own fields, and never the state it is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from finalturn._core.messages import Message, Role
from finalturn._core.result import ProviderSwitch, Usage
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._core.turn import Judged, LimitReached, Mode, State, ToolReturned, Verdict
from finalturn._core.turn import updates as updates
from finalturn._core.turn.judge import CUT
from finalturn._core.turn.messages import refusals
from finalturn._core.turn.state import HeldText, Rejected
from tests.core.turn._turns import OUTPUT, asks, says, setup

STATE = State(setup(Mode.FINAL_TURN, hold=True), usage=Usage(1), texts=("a",))
CALLS = Judged(Verdict.CALLS, asks("f", "g", text="look"), shown="loo")
REJECTED = Judged(Verdict.CUT, says("{"), rejection=CUT)
SWITCH = ProviderSwitch(0, "a", "b", "down", None, None)


def changed(before: State, after: State) -> dict[str, Any]:
    """The fields that an update has changed."""
    names = [field.name for field in fields(State)]
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


@pytest.mark.parametrize(
    ("update", "item", "before", "after"),
    [
        (updates.next_call, None, {"call": -1}, {"call": 0}),
        (updates.next_iteration, None, {"iterations": 2}, {"iterations": 3}),
        (updates.spend_retry, None, {"retries": 1}, {"retries": 2}),
        (updates.spend_empty_retry, None, {}, {"empty_retried": True}),
        (updates.converge, CALLS, {}, {"converged": CALLS}),
        (
            updates.reject,
            REJECTED,
            {"rejected": Rejected("old", "old", "old")},
            {"rejected": Rejected("{", CUT.reason, CUT.feedback)},
        ),
        (
            updates.close_call,
            Judged(Verdict.PLAIN, says("bc", usage=Usage(2, total_tokens=3)), shown="b"),
            {},
            {"usage": Usage(3, total_tokens=3), "texts": ("a", "b")},
        ),
        (
            updates.close_call,
            Judged(Verdict.PLAIN, says("b", usage=Usage(), switches=(SWITCH,)), shown="b"),
            {"switches": (replace(SWITCH, reason="busy"),)},
            {"switches": (replace(SWITCH, reason="busy"), SWITCH), "texts": ("a", "b")},
        ),
        (
            updates.close_call,
            Judged(Verdict.PLAIN, says("b"), shown="b"),
            {"hold": HeldText(OUTPUT)},
            {"usage": Usage(1, unreported_calls=1), "texts": ("a", "b"), "hold": None},
        ),
        (
            updates.take_calls,
            CALLS,
            {"calls": asks("e").tool_calls, "rejected": Rejected("x", "x", "x"), "outcomes": ()},
            {
                "added": (Message.assistant("loo", tool_calls=CALLS.response.tool_calls),),
                "calls": asks("e").tool_calls + CALLS.response.tool_calls,
                "batch": CALLS.response.tool_calls,
                "outcomes": (None, None),
                "rejected": None,
            },
        ),
        (
            updates.note_outcome,
            ToolReturned(ToolOutcome(1, "done")),
            {"outcomes": (None, None)},
            {"outcomes": (None, ToolOutcome(1, "done"))},
        ),
        (
            updates.note_outcome,
            ToolReturned(ToolOutcome(0, "done", usage=Usage(3))),
            {"outcomes": (None,), "usage": Usage(1)},
            {"outcomes": (ToolOutcome(0, "done", usage=Usage(3)),), "usage": Usage(4)},
        ),
        (
            updates.append_results,
            None,
            {
                "batch": CALLS.response.tool_calls,
                "outcomes": (ToolOutcome(0, "x", "timeout"), ToolOutcome(1, "")),
                "added": (Message.user("before"),),
            },
            {
                "added": (
                    Message.user("before"),
                    Message(Role.TOOL, "x", tool_name="f", tool_call_id="c0", tool_failure="timeout"),
                    Message(Role.TOOL, "", tool_name="g", tool_call_id="c1", tool_result=""),
                )
            },
        ),
        (
            updates.refuse_calls,
            CALLS,
            {"added": (Message.user("before"),)},
            {"added": (Message.user("before"), *refusals(CALLS))},
        ),
        (
            updates.stop_call,
            LimitReached("seconds", "Hel", Usage(5)),
            {"texts": ("a",), "usage": Usage(1)},
            {"texts": ("a", "Hel"), "usage": Usage(6)},
        ),
        (
            updates.stop_synthesis,
            LimitReached("seconds", "Hel", Usage(5)),
            {"texts": ("a",), "usage": Usage(1)},
            {"usage": Usage(6)},
        ),
    ],
)
def test_an_update_changes_its_fields_only(
    update: Callable[[State, Any], State], item: object, before: dict[str, Any], after: dict[str, Any]
) -> None:
    state = replace(STATE, **before)
    kept = replace(state)
    assert changed(state, update(state, item)) == after
    assert state == kept


def test_a_call_gets_a_hold_of_its_own_when_the_turn_holds() -> None:
    first = updates.open_hold(STATE, None).hold
    second = updates.open_hold(STATE, None).hold
    assert first is not None and second is not None and first is not second
    without = State(setup(Mode.FINAL_TURN), hold=first)
    assert updates.open_hold(without, None).hold is None


def test_of_held_text_a_stopped_call_has_shown_what_was_released() -> None:
    hold = HeldText(OUTPUT)
    hold.feed("Hi.")
    hold.feed('\n{"x"')
    stopped = updates.stop_call(replace(STATE, hold=hold), LimitReached("seconds", 'Hi.\n{"x"'))
    assert stopped.texts == ("a", "Hi.")


def test_of_suppressed_text_a_stopped_call_has_shown_nothing() -> None:
    single = State(setup(Mode.FINAL_TURN, single_pass=True))
    assert updates.stop_call(single, LimitReached("seconds", "Hel")).texts == ("",)


def test_a_synthesis_call_gets_an_object_of_its_own_when_the_turn_shows_it() -> None:
    shown = State(setup(Mode.FINAL_TURN, partials=True))
    first = updates.open_growing(shown, None).growing
    second = updates.open_growing(shown, None).growing
    assert first is not None and second is not None and first is not second
    assert updates.open_growing(STATE, None) is STATE


def test_every_update_is_tested() -> None:
    here = {
        name
        for name, one in vars(updates).items()
        if inspect.isfunction(one) and one.__module__ == updates.__name__
    }
    assert here == {
        "next_call", "next_iteration", "open_hold", "open_growing", "close_call", "take_calls",
        "note_outcome", "append_results", "refuse_calls", "stop_call", "stop_synthesis", "converge", "reject",
        "spend_retry", "spend_empty_retry",
    }  # fmt: skip
