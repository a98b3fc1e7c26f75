"""What a whole turn costs: a tool call, text, the object; beside the same three calls by hand."""

from __future__ import annotations

import httpx2
from pydantic_core import from_json, to_json

from tools.bench._agents import Ticket, lookup_order, read, ticket_agent
from tools.bench._figure import Section, ratio, times
from tools.bench._raw import read_answer
from tools.bench._rounds import Cpu, Plan, in_rounds
from tools.bench._serving import sent

AIM = 1.5
DELTAS = 40


async def measure(plan: Plan, server: str, client: httpx2.AsyncClient) -> Section:
    """Whole turns, one after the other."""
    url = f"{server}/turn/{DELTAS}"
    agent = ticket_agent(url)

    async def turn() -> Ticket:
        _, result = await read(agent.astream("Where is my order A-1042?"))
        return result.unwrap()

    wanted = await turn()
    bodies = await sent(client, url)

    async def by_hand() -> Ticket:
        _, arguments = await read_answer(client, url, bodies[0])
        to_json(await lookup_order(**from_json(arguments)))
        await read_answer(client, url, bodies[1])
        answer, _ = await read_answer(client, url, bodies[2])
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

    found = await in_rounds({"raw": raw_case, "again": raw_case, "agent": agent_case}, plan.rounds)
    raw, again, own = found["raw"], found["again"], found["agent"]
    note = (
        f"Three model calls: an async tool, {DELTAS} deltas of text, the object; final_turn_only, hold_json."
        f" {plan.turns} turns in a measurement."
    )
    figures = (
        times("raw httpx2, the same three calls", raw, "ms"),
        times("agent", own, "ms"),
        ratio("the same raw calls again (noise) / raw", again, raw),
        ratio("agent / raw", own, raw, aim=AIM),
    )
    return Section("turn", "A whole turn", note, figures)
