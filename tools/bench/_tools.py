"""What it costs to have many tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from finalturn import Agent, Tool
from finalturn.providers import OpenAIChat
from tools.bench._figure import Bound, Section
from tools.bench._raw import read_text
from tools.bench._rounds import Cpu, Plan
from tools.bench._site import Site
from tools.bench._wire import prose
from tools.bench._work import AGAIN, AGENT, RAW, Work, measured

_BOUND = Bound(1.3, work="a turn with 100 tools")
_DELTAS = 40


async def search(
    query: Annotated[str, Field(description="What to look for, in a few words.")],
    limit: Annotated[int, Field(description="The most results.", ge=1, le=50)] = 10,
    regions: Annotated[list[str] | None, Field(description="Only in these regions.")] = None,
    exact: bool = False,
) -> list[dict[str, Any]]:
    """Search a part of the shop.

    Args:
        query: what to look for.
        limit: the most results.
        regions: only in these regions.
        exact: take the words as they are.
    """
    return []


def many(count: int) -> Sequence[Tool[..., Any]]:
    """So many tools, with names and descriptions of their own."""
    return [
        Tool(search, name=f"search_{number}", description=f"Search part {number} of the shop, newest first.")
        for number in range(count)
    ]


async def measure(plan: Plan, site: Site) -> Section:
    """A turn whose request declares them."""
    url = site.url("prose", _DELTAS)
    agent = Agent(OpenAIChat("bench", base_url=url), tools=many(plan.tools))
    wanted = (await agent.arun("hello")).content
    [body] = await site.bodies("prose", _DELTAS)
    assert len(body["tools"]) == plan.tools and wanted == "".join(prose(_DELTAS))

    async def raw_case() -> float:
        with Cpu() as cpu:
            for _ in range(plan.turns):
                text = await read_text(site.client, url, body)
                assert text == wanted, "the answer by hand is another"
        return cpu.seconds / plan.turns

    async def agent_case() -> float:
        with Cpu() as cpu:
            for _ in range(plan.turns):
                result = await agent.arun("hello")
                assert result.content == wanted, "the answer is another"
        return cpu.seconds / plan.turns

    note = f"{plan.tools} tools with four arguments each, and an answer of {_DELTAS} deltas that calls none."
    cases = {
        RAW: raw_case,
        AGAIN: raw_case,
        AGENT: agent_case,
        **site.of_peers(
            "tools", "prose", _DELTAS, wanted, times=plan.turns, units=plan.turns, tools=plan.tools
        ),
    }
    return await measured(
        Work("tools", "A turn with many tools", note, "ms", cases, {AGENT: _BOUND}), plan.rounds
    )
