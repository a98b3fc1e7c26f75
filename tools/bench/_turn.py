"""What a whole turn costs: a tool call, text, the object; beside the same three calls by hand."""

from __future__ import annotations

from pydantic_core import from_json, to_json

from tools.bench._agents import Ticket, lookup_order, read, ticket_agent
from tools.bench._figure import Bound, Section
from tools.bench._raw import read_answer
from tools.bench._rounds import Cpu, Plan
from tools.bench._site import Site
from tools.bench._work import AGAIN, AGENT, RAW, Work, measured

DELTAS = 40

_BOUND = Bound(1.5, work="a whole turn: tool call, 40 deltas, structured answer")


async def measure(plan: Plan, site: Site) -> Section:
    """Whole turns, one after the other."""
    url = site.url("turn", DELTAS)
    agent = ticket_agent(url)

    async def turn() -> Ticket:
        _, result = await read(agent.astream("Where is my order A-1042?"))
        return result.unwrap()

    wanted = await turn()
    bodies = await site.bodies("turn", DELTAS)

    async def by_hand() -> Ticket:
        _, arguments = await read_answer(site.client, url, bodies[0])
        to_json(await lookup_order(**from_json(arguments)))
        await read_answer(site.client, url, bodies[1])
        answer, _ = await read_answer(site.client, url, bodies[2])
        return Ticket.model_validate_json(answer)

    async def raw_case() -> float:
        with Cpu() as cpu:
            tickets = [await by_hand() for _ in range(plan.turns)]
        assert tickets == [wanted] * plan.turns, "a turn by hand did not give the object"
        return cpu.seconds / plan.turns

    async def agent_case() -> float:
        with Cpu() as cpu:
            tickets = [await turn() for _ in range(plan.turns)]
        assert tickets == [wanted] * plan.turns, "a turn did not give the object"
        return cpu.seconds / plan.turns

    note = (
        f"Three model calls: an async tool, {DELTAS} deltas of text, the object; final_turn_only, hold_json."
        f" {plan.turns} turns in a measurement."
    )
    cases = {
        RAW: raw_case,
        AGAIN: raw_case,
        AGENT: agent_case,
        **site.of_peers("turn", "turn", DELTAS, wanted.model_dump(), times=plan.turns, units=plan.turns),
    }
    return await measured(Work("turn", "A whole turn", note, "ms", cases, {AGENT: _BOUND}), plan.rounds)
