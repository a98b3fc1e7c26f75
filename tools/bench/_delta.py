"""What a text delta costs on its way through the whole agent, beside a raw loop over the same stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx2

from tools.bench._agents import prose_agent, read
from tools.bench._figure import Section, ratio, times
from tools.bench._raw import read_text, read_text_from_bytes
from tools.bench._rounds import Case, Cpu, Plan, in_rounds
from tools.bench._serving import sent
from tools.bench._wire import prose

AIM = 1.1

_QUESTION = "Where is my order?"
_RAW = "raw httpx2, its lines, JSON"
_AGAIN = "the same raw loop again (noise)"
_BYTES = "raw httpx2, bytes cut by hand, JSON"
_AGENT = "agent, final_turn_only"
_HELD = "agent, final_turn_only, hold_json"


async def measure(plan: Plan, server: str, client: httpx2.AsyncClient) -> Section:
    """A stream that the server writes at once."""
    note = (
        "The server writes the whole answer at once, each record as an HTTP chunk of its own; the kernel"
        f" hands it over in reads of up to 64 KiB. A whole turn of {plan.deltas} deltas, over its deltas."
    )
    cases = await _cases(f"{server}/prose/{plan.deltas}", plan.deltas, client)
    return await _section(
        "delta", "A text delta through the whole agent, in a burst", note, cases, plan.rounds
    )


async def measure_paced(plan: Plan, server: str, client: httpx2.AsyncClient) -> Section:
    """A stream that comes as a model gives it."""
    note = (
        "The server writes a record every millisecond or so, and each is read on its own, as from a model."
        f" A whole turn of {plan.paced} deltas, over its deltas."
    )
    cases = await _cases(f"{server}/paced/{plan.paced}", plan.paced, client)
    return await _section(
        "paced", "A text delta through the whole agent, one by one", note, cases, plan.slow_rounds
    )


async def _section(slug: str, title: str, note: str, cases: dict[str, Case], rounds: int) -> Section:
    found = await in_rounds(cases, rounds)
    figures = [times(name, seconds, "µs") for name, seconds in found.items()]
    figures += [
        ratio(f"{name} / raw", found[name], found[_RAW], aim=AIM if name == _HELD else None)
        for name in cases
        if name != _RAW
    ]
    return Section(slug, title, note, tuple(figures))


async def _cases(url: str, deltas: int, client: httpx2.AsyncClient) -> dict[str, Case]:
    plain, held = prose_agent(url, hold=False), prose_agent(url, hold=True)
    expected = "".join(prose(deltas))

    async def turn_of(name: str) -> str:
        agent = held if name == _HELD else plain
        text, _ = await read(agent.astream(_QUESTION))
        return text

    await turn_of(_AGENT)
    [body] = await sent(client, url)

    def case(work: Callable[[], Awaitable[str]]) -> Case:
        async def measured() -> float:
            with Cpu() as cpu:
                text = await work()
            assert text == expected, "the stream was not read as it was written"
            return cpu.seconds / deltas

        return measured

    return {
        _RAW: case(lambda: read_text(client, url, body)),
        _AGAIN: case(lambda: read_text(client, url, body)),
        _BYTES: case(lambda: read_text_from_bytes(client, url, body)),
        _AGENT: case(lambda: turn_of(_AGENT)),
        _HELD: case(lambda: turn_of(_HELD)),
    }
