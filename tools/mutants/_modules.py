"""The code that is mutated function by function, and the clauses that each function must keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finalturn._core.turn import Judged, Table
from tools.mutants._code import units
from tools.mutants._places import clauses_of_functions

TURN = "finalturn._core.turn"

OF_RULES = ("_guards", "_updates", "_results", "_messages", "_shows", "_does")
"""Modules of functions that rules are made of: each must keep what its rules uphold."""

PREDICATE = ("predicate-sees-conversation", "predicate-view-readonly", "predicate-errors-propagate")
SURFACES = ("surface-parity", "handler-parity")

OF_DRIVER: Mapping[str, Mapping[str, Sequence[str]]] = {
    "finalturn._agent.sync": {
        "drain": (*SURFACES, "close-stops-work", "result-is-last"),
        "run_blocking": (*SURFACES, "close-stops-work", "result-is-last"),
        "SyncStream.__exit__": ("close-stops-work",),
        "SyncStream.close": ("close-stops-work",),
        "_pull": ("surface-parity", "result-is-last"),
    },
    "finalturn._agent.stream": {"AgentStream.__aexit__": ("close-stops-work",)},
    "finalturn._agent.model_call": {
        "ModelCall.next": ("surface-parity", "whole-reply-parity", "result-is-last"),
        "ModelCall._take": (
            "whole-reply-parity",
            "tool-calls-always-stream",
            "tool-call-id-native",
            "usage-complete",
            "reasoning-apart",
        ),
        "ModelCall._take_text": ("surface-parity", "whole-reply-parity", "text-tool-calls-hidden"),
        "ModelCall._take_reasoning": ("reasoning-apart",),
        "ModelCall._reason": ("reasoning-apart",),
        "ModelCall._pass_on": ("surface-parity", "default-mode-streams"),
        "ModelCall._end": (
            "surface-parity",
            "text-tool-calls-hidden",
            "tool-calls-always-stream",
            "usage-complete",
            "reasoning-apart",
        ),
    },
    "finalturn._adapters.events": {"_whole_reply": ("whole-reply-parity",)},
    "finalturn._agent.actions": {
        "Performer.perform": ("tool-messages-in-call-order", "history-is-what-was-shown", *PREDICATE),
        "Performer._ask": PREDICATE,
    },
    "finalturn._agent.driver": {
        "Driver._start": ("surface-parity",),
        "Driver._read": ("result-is-last", "close-stops-work", "usage-complete", "no-doubled-text"),
        "Driver._fail_call": ("usage-complete", "result-is-last"),
        "Driver._feed": ("surface-parity",),
    },
}
"""Functions of the driver and its surfaces. What no clause speaks of is not here; saboteurs do the rest."""


def modules_of(table: Table) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """For each module and function, the clauses."""
    of_parts = clauses_of_functions(table)
    found: dict[str, Mapping[str, Sequence[str]]] = {
        f"{TURN}.{name}": {
            one.name: of_parts[one.function] for one in units(f"{TURN}.{name}") if one.function in of_parts
        }
        for name in OF_RULES
    }
    judged = _upheld(table, Judged)
    found[f"{TURN}._judge"] = {one.name: judged for one in units(f"{TURN}._judge")}
    upheld = _upheld(table)
    found[f"{TURN}._machine"] = dict.fromkeys(("Machine.step", "Machine._advance"), upheld)
    return {**found, **OF_DRIVER}


def _upheld(table: Table, on: type | None = None) -> tuple[str, ...]:
    rules = (rule for rule in table if on in (None, rule.on))
    return tuple(dict.fromkeys(clause for rule in rules for clause in rule.upholds))
