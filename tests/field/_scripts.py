"""Scripts of what a model does in a turn, generated."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from finalturn import ModelEnd, ProviderError, StructuredOutputConfig
from finalturn.providers import Scripted
from tests.contract._scenes import (
    ANSWER,
    COMBINED,
    FINAL,
    HOLD,
    INVALID,
    NO_REUSE,
    SINGLE,
    Ticket,
    fail,
    lookup,
    skipping,
)

GOOD = '{"topic": "paper", "urgent": false}'
"""A valid answer without the sentinel, for loop calls."""

TEXT = st.sampled_from(
    ["Hi. ", "\n", " ", "Your order", "é😀", "{", "```json\n", "```", '{"port": 1}', f"\n{GOOD}\n", "<", ""]
)
REASONING = st.sampled_from(["hm", "so "]).map(Scripted.reasoning)
CALLS = st.sampled_from(
    [
        Scripted.call("lookup", {"order": "A1"}),
        Scripted.call("lookup", {"order": "B2"}),
        Scripted.call("lookup", '{"order":'),
        Scripted.call("lookup", {"order": 1}),
        Scripted.call("fail", {"order": "A1"}),
        Scripted.call("unknown", {}),
        Scripted.call("", "[1]"),
    ]
)
ENDS = st.sampled_from([*[[]] * 6, [ModelEnd("length")], [ModelEnd("refusal")], [ModelEnd("tool_calls")]])
BREAKS: st.SearchStrategy[list[Any]] = st.one_of(
    st.just([Scripted.CUT]), st.builds(lambda: [ProviderError("overloaded", status=529)])
)

# Reasoning first and calls last, as a reply that comes as a whole has them.
LOOP: st.SearchStrategy[list[Any]] = st.tuples(
    st.lists(REASONING, max_size=1), st.lists(TEXT, max_size=4), st.lists(CALLS, max_size=2), ENDS
).map(lambda parts: [item for part in parts for item in part])
BARE = st.sampled_from([[GOOD], [*GOOD[:9], GOOD[9:]], [f"```json\n{GOOD}\n```"], []])
ANSWERS: st.SearchStrategy[list[Any]] = st.tuples(
    st.lists(REASONING, max_size=1),
    st.sampled_from([ANSWER, INVALID, ANSWER[:-2], f"Sure:\n```json\n{ANSWER}\n```", "", "no JSON"]).map(
        lambda text: Scripted.pieces(text, 7)
    ),
    ENDS,
).map(lambda parts: [item for part in parts for item in part])

MODES: dict[str, dict[str, Any]] = {
    "plain": {"response_format": None},
    "default": {},
    "final": {"config": FINAL},
    "hold": {"config": HOLD},
    "no reuse": {"config": NO_REUSE},
    "single pass": {"config": SINGLE, "capabilities": COMBINED},
    "skip": {"config": skipping(True)},
    "no retries": {"config": StructuredOutputConfig(final_turn_only=True, max_validation_retries=0)},
}


def parts_of(mode: str) -> dict[str, Any]:
    """What an agent is made of in a mode."""
    return {"response_format": Ticket, "tools": [lookup, fail], "max_iterations": 3, **MODES[mode]}


def broken_off(parts: tuple[list[Any], ...]) -> list[Any]:
    """An answer whose end is a break instead."""
    answer, broken = parts
    return [item for item in answer if not isinstance(item, ModelEnd)] + broken


def turns(*, breaks: bool = False) -> st.SearchStrategy[list[Any]]:
    """What the model calls of a turn answer: some of the loop, and more than enough of the rest."""
    loop = st.lists(LOOP | BARE, max_size=3)
    answers = st.lists(ANSWERS, min_size=3, max_size=3)
    broken = st.lists(st.tuples(LOOP, BREAKS).map(broken_off), max_size=1 if breaks else 0)
    return st.tuples(loop, broken, answers, broken).map(_calls)


def _calls(parts: tuple[list[Any], ...]) -> list[Any]:
    return [*(call for part in parts for call in part), *[[GOOD]] * 4]
