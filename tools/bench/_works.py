"""What is measured: pieces of work by hand, by the agent, and by whoever else can do them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import from_json, to_json

import finalturn
from finalturn import Agent, AgentResult, AgentStream, Message, Role, StructuredOutputConfig, Tool, ToolCall
from finalturn.providers import OpenAIChat
from tools.bench import peers
from tools.bench._measure import Bound, Case, Plan, Section, Unit, in_rounds, ratio, times
from tools.bench._server import prose
from tools.bench._site import Site, read_by_hand
from tools.bench.peers import QUESTION, SYSTEM, Act, Prose, Run, Show, Ticket, run_of

RAW = "raw httpx2, its lines, JSON"
AGENT = "agent"
DELTAS = 40


lookup_order = finalturn.tool(peers.lookup_order)


def prose_agent(url: str) -> Agent[Ticket]:
    """An agent whose turn is one model call: it is never asked for the object."""
    config = StructuredOutputConfig(
        final_turn_only=True, hold_json=True, should_finalize=lambda messages, text: False
    )
    return Agent(OpenAIChat("bench", base_url=url), structured_output=config, response_format=Ticket)


async def read(stream: AgentStream[Any], show: Show) -> AgentResult[Any]:
    """Read a turn as a program would that shows its text."""
    async for item in stream:
        if isinstance(item, AgentResult):
            return item
        if item.content:
            show(item.content)
    raise AssertionError("a stream ends with its result")


def prose_of(agent: Agent[Any], given: str | Sequence[Message] = QUESTION) -> Prose:
    """The agent's way to a turn that is one answer of text."""

    async def turn(show: Show) -> None:
        await read(agent.astream(given), show)

    return turn


def _case(run: Run, wanted: Any, units: int) -> Case:
    """Do the work, see that it came to what is wanted, and divide the time by the units."""

    async def timed() -> float:
        seconds, result = await run()
        assert result == wanted, "the work came to something else"
        return seconds / units

    return timed


async def _beside_raw(
    site: Site,
    section: Section,
    bound: Bound,
    ways: tuple[Act, Act],
    wanted: Any,
    script: tuple[str, int],
    *,
    unit: Unit = "ms",
    units: int,
    rounds: int,
    of_peers: dict[str, Any],
    **given: int,
) -> Section:
    """Measure the work by hand, by the agent and by the other libraries: times first, then ratios."""
    runs = {name: run_of(section.slug, way, **given) for name, way in zip((RAW, AGENT), ways, strict=True)}
    runs |= site.of_peers(section.slug, *script, {**given, **of_peers})
    found = await in_rounds({name: _case(run, wanted, units) for name, run in runs.items()}, rounds)
    figures = [times(name, seconds, unit) for name, seconds in found.items()]
    for name, seconds in found.items():
        more, less = (seconds, found[RAW]) if bound.side == "at most" else (found[RAW], seconds)
        what = f"{name} / raw" if bound.side == "at most" else f"raw / {name}"
        if name != RAW:
            figures.append(ratio(what, more, less, bound if name == AGENT else None))
    return replace(section, figures=tuple(figures))


# --- one model call ---------------------------------------------------------------------------------------


async def text(
    site: Site,
    section: Section,
    bound: Bound,
    agent_of: Callable[[str], Agent[Any]],
    *,
    script: str = "prose",
    deltas: int = DELTAS,
    given: str | Sequence[Message] = QUESTION,
    count: int = 1,
    streams: int = 1,
    unit: Unit = "ms",
    rounds: int,
    **of_peers: Any,
) -> Section:
    """A turn that is one answer of text. Its time is over its turns, or over its deltas where in µs."""
    url = site.url(script, deltas)
    by_agent = prose_of(agent_of(url), given)
    await by_agent(len)
    [body] = await site.bodies(url)

    async def by_hand(show: Show) -> None:
        await read_by_hand(site.client, url, body, show)

    if "messages" in of_peers:
        of_peers["messages"] = body["messages"]
    return await _beside_raw(
        site,
        section,
        bound,
        (by_hand, by_agent),
        None if section.slug == "first" else "".join(prose(deltas)),
        (script, deltas),
        unit=unit,
        units=deltas * streams if unit == "µs" else count,
        rounds=rounds,
        of_peers=of_peers,
        times=count,
        streams=streams,
    )


async def burst(plan: Plan, site: Site) -> Section:
    """A text delta of a stream that the server writes at once."""
    note = (
        "The server writes the whole answer at once, each record as an HTTP chunk of its own; the kernel"
        f" hands it over in reads of up to 64 KiB. A whole turn of {plan.deltas} deltas, over its deltas."
    )
    section = Section("delta", "A text delta through the whole agent, in a burst", note, ())
    bound = Bound(1.1, "a text delta, in a burst, final_turn_only and hold_json")
    return await text(site, section, bound, prose_agent, deltas=plan.deltas, unit="µs", rounds=plan.rounds)


async def paced(plan: Plan, site: Site) -> Section:
    """A text delta of a stream that comes as a model gives it."""
    note = (
        "The server writes a record every millisecond or so, and each is read on its own, as from a model."
        f" A whole turn of {plan.paced} deltas, over its deltas."
    )
    section = Section("paced", "A text delta through the whole agent, one by one", note, ())
    bound = Bound(1.1, "a text delta, one by one, final_turn_only and hold_json")
    more: dict[str, Any] = {"script": "paced", "deltas": plan.paced, "unit": "µs", "rounds": plan.rounds}
    return await text(site, section, bound, prose_agent, **more)


async def history(plan: Plan, site: Site) -> Section:
    """A turn with a long history over HTTP."""
    note = (
        f"{plan.history} messages before the question, and a short answer. The raw loop encodes and sends the"
        " same body, from plain dicts."
    )
    section = Section("history", "A turn with a long history", note, ())
    bound = Bound(1.5, f"a turn on a history of {Plan().history:,} messages")
    given = conversation(plan.history)
    plain = lambda url: Agent(OpenAIChat("bench", base_url=url))  # noqa: E731
    return await text(site, section, bound, plain, deltas=1, given=given, rounds=plan.rounds, messages=())


def conversation(length: int) -> list[Message]:
    """So many messages, each an object of its own, and then a question."""
    content = "".join(prose(45))
    call = ToolCall("lookup_order", {"order_id": "A-1042"}, "call_1")
    exchange = (
        *(Message.user(content), Message.assistant(content)) * 3,
        Message.user(content),
        Message.assistant("", tool_calls=[call]),
        Message(Role.TOOL, "{}", tool_name=call.name, tool_call_id=call.id, tool_result="{}"),
        Message.assistant(content),
    )
    earlier = [Message.from_dict(exchange[at % len(exchange)].to_dict()) for at in range(length)]
    return [*earlier, Message.user("And when will it be here?")]


async def tools(plan: Plan, site: Site) -> Section:
    """A turn whose request declares many tools."""
    note = f"{plan.tools} tools with four arguments each, and an answer of {DELTAS} deltas that calls none."
    section = Section("tools", "A turn with many tools", note, ())
    names = peers.many(plan.tools)
    many = [Tool(peers.search, name=name, description=text) for name, text in names]
    agent_of = lambda url: Agent(OpenAIChat("bench", base_url=url), tools=many)  # noqa: E731
    bound = Bound(1.3, f"a turn with {Plan().tools} tools")
    more: dict[str, Any] = {"count": plan.turns, "rounds": plan.rounds, "tools": plan.tools}
    return await text(site, section, bound, agent_of, **more)


async def first(plan: Plan, site: Site) -> Section:
    """From the call to the first text; what follows is read, and not counted."""
    note = f"CPU time until the first text of an answer of {DELTAS} deltas, over a connection that stands."
    section = Section("first", "The first shown delta", note, ())
    bound = Bound(1.2, "time to the first shown delta")
    return await text(site, section, bound, prose_agent, count=plan.turns, rounds=plan.rounds)


# --- three model calls ------------------------------------------------------------------------------------


async def turn(plan: Plan, site: Site) -> Section:
    """Whole turns, one after the other."""
    url = site.url("turn", DELTAS)
    agent = Agent(
        OpenAIChat("bench", base_url=url),
        system_prompt=SYSTEM,
        tools=[lookup_order],
        structured_output=StructuredOutputConfig(final_turn_only=True, hold_json=True),
        response_format=Ticket,
    )

    async def by_agent() -> dict[str, Any]:
        ticket: Ticket = (await read(agent.astream(QUESTION), len)).unwrap()
        return ticket.model_dump()

    wanted = await by_agent()
    bodies = await site.bodies(url)

    async def by_hand() -> dict[str, Any]:
        texts: list[list[str]] = [[], [], []]
        arguments: list[str] = []
        await read_by_hand(site.client, url, bodies[0], texts[0].append, arguments.append)
        to_json(await lookup_order(**from_json("".join(arguments))))
        for body, shown in zip(bodies[1:], texts[1:], strict=True):
            await read_by_hand(site.client, url, body, shown.append, arguments.append)
        return Ticket.model_validate_json("".join(texts[2])).model_dump()

    note = (
        f"Three model calls: an async tool, {DELTAS} deltas of text, the object; final_turn_only, hold_json."
        f" {plan.turns} turns in a measurement."
    )
    section = Section("turn", "A whole turn", note, ())
    bound = Bound(1.5, "a whole turn: tool call, 40 deltas, structured answer")
    return await _beside_raw(
        site,
        section,
        bound,
        (by_hand, by_agent),
        wanted,
        ("turn", DELTAS),
        units=plan.turns,
        rounds=plan.rounds,
        of_peers={},
        times=plan.turns,
    )
