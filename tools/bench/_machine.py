"""What the machine costs for a text delta, alone."""

from __future__ import annotations

from collections.abc import Sequence

from finalturn import Message, TextDelta
from finalturn._core.turn import Machine, Mode, Started, TurnSetup
from finalturn._response_format import output_of
from tools.bench._agents import Ticket
from tools.bench._figure import Bound, Section, times
from tools.bench._rounds import Case, Cpu, Plan, in_rounds
from tools.bench._wire import json_block, prose

LIMIT = Bound(3.0)

LOOPS = 5
"""Passes of one measurement; the best counts."""


async def measure(plan: Plan) -> Section:
    """Step the machine in each way that text can go."""
    text, block = prose(plan.deltas), json_block(plan.deltas)
    found = await in_rounds(
        {
            "hold off": _case(text),
            "hold on, prose": _case(text, hold=True),
            "hold on, inside a JSON block": _case(block, hold=True),
            "single_pass": _case(text, single_pass=True),
        },
        plan.rounds,
    )
    note = f"final_turn_only; a new machine for {plan.deltas} deltas, and the best of {LOOPS} such passes."
    figures = tuple(times(name, seconds, "µs", LIMIT) for name, seconds in found.items())
    return Section("machine", "Machine.step(TextDelta), for each delta", note, figures)


def _case(pieces: Sequence[str], *, hold: bool = False, single_pass: bool = False) -> Case:
    deltas = [TextDelta(piece) for piece in pieces]
    setup = TurnSetup(
        user=(Message.user("Where is my order?"),),
        output=output_of(Ticket),
        mode=Mode.FINAL_TURN,
        hold=hold,
        single_pass=single_pass,
        native_loop=single_pass,
    )

    async def case() -> float:
        return min(_pass(setup, deltas) for _ in range(LOOPS)) / len(deltas)

    return case


def _pass(setup: TurnSetup, deltas: Sequence[TextDelta]) -> float:
    machine = Machine(setup)
    machine.step(Started())
    with Cpu() as cpu:
        for delta in deltas:
            machine.step(delta)
    return cpu.seconds
