"""What a text delta costs on its way through the whole agent, beside a raw loop over the same stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tools.bench._agents import prose_agent, read
from tools.bench._figure import Bound, Section
from tools.bench._raw import read_text, read_text_from_bytes
from tools.bench._rounds import Case, Cpu, Plan
from tools.bench._site import Site
from tools.bench._wire import prose
from tools.bench._work import AGAIN, RAW, Work, measured

LIMIT = 1.1

_QUESTION = "Where is my order?"
_BYTES = "raw httpx2, bytes cut by hand, JSON"
_AGENT = "agent, final_turn_only"
_HELD = "agent, final_turn_only, hold_json"


async def measure(plan: Plan, site: Site) -> Section:
    """A stream that the server writes at once."""
    note = (
        "The server writes the whole answer at once, each record as an HTTP chunk of its own; the kernel"
        f" hands it over in reads of up to 64 KiB. A whole turn of {plan.deltas} deltas, over its deltas."
    )
    bound = Bound(LIMIT, work="a text delta, in a burst, final_turn_only and hold_json")
    cases = await _cases(site, "prose", plan.deltas)
    title = "A text delta through the whole agent, in a burst"
    return await measured(Work("delta", title, note, "µs", cases, {_HELD: bound}), plan.rounds)


async def measure_paced(plan: Plan, site: Site) -> Section:
    """A stream that comes as a model gives it."""
    note = (
        "The server writes a record every millisecond or so, and each is read on its own, as from a model."
        f" A whole turn of {plan.paced} deltas, over its deltas."
    )
    bound = Bound(LIMIT, work="a text delta, one by one, final_turn_only and hold_json")
    cases = await _cases(site, "paced", plan.paced)
    title = "A text delta through the whole agent, one by one"
    return await measured(Work("paced", title, note, "µs", cases, {_HELD: bound}), plan.rounds)


async def _cases(site: Site, script: str, deltas: int) -> dict[str, Case]:
    url = site.url(script, deltas)
    plain, held = prose_agent(url, hold=False), prose_agent(url, hold=True)
    expected = "".join(prose(deltas))

    async def turn_of(name: str) -> str:
        agent = held if name == _HELD else plain
        text, _ = await read(agent.astream(_QUESTION))
        return text

    await turn_of(_AGENT)
    [body] = await site.bodies(script, deltas)

    def case(work: Callable[[], Awaitable[str]]) -> Case:
        async def timed() -> float:
            with Cpu() as cpu:
                text = await work()
            assert text == expected, "the stream was not read as it was written"
            return cpu.seconds / deltas

        return timed

    return {
        RAW: case(lambda: read_text(site.client, url, body)),
        AGAIN: case(lambda: read_text(site.client, url, body)),
        _BYTES: case(lambda: read_text_from_bytes(site.client, url, body)),
        _AGENT: case(lambda: turn_of(_AGENT)),
        _HELD: case(lambda: turn_of(_HELD)),
        **site.of_peers("text", script, deltas, expected, times=1, units=deltas),
    }
