"""Where the time of a text delta goes, layer by layer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from finalturn import (
    Agent,
    AgentResult,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    TextDelta,
)
from finalturn._agent.driver import Driver
from finalturn._agent.spec import TurnSpec
from finalturn._core.model import Capabilities
from finalturn._core.turn import Machine, Mode, Started, TurnSetup
from finalturn._providers.answers.decode import MAX_ANSWER, WireDecoder
from finalturn._providers.answers.ending import Ending
from finalturn._providers.answers.sse import SSEReader
from finalturn._providers.http.client import Clients
from finalturn._providers.http.provider import ACCEPT
from finalturn._providers.http.transport import Call, Transport
from finalturn._providers.openai_chat.answer import ChatAnswer
from finalturn._providers.openai_chat.profiles import ANY_SERVER
from finalturn._response_format import output_of
from tools.bench._agents import Ticket, prose_agent, read
from tools.bench._figure import Figure, Section, times
from tools.bench._rounds import Case, Cpu, Plan, in_rounds
from tools.bench._site import Site
from tools.bench._wire import prose

_WHOLE = "the whole agent"
_QUESTION = "Where is my order?"


async def measure(plan: Plan, site: Site) -> Section:
    """Measure each layer over what the layer below it gave once: chunks, events, deltas."""
    found = await in_rounds(await _cases(site, plan.deltas), plan.rounds)

    def less(name: str, *others: str) -> tuple[float, ...]:
        lines = [found[name], *(found[other] for other in others)]
        return tuple(first - sum(rest) for first, *rest in zip(*lines, strict=True))

    layers = {
        "socket and HTTP": found["chunks"],
        "framing": found["frames"],
        "JSON": found["json"],
        "codec": less("decoder", "frames", "json"),
        "machine": found["machine"],
        "hold": less("held", "machine"),
        "driver": less("driver", "held"),
        "projection": less("stream", "driver"),
    }
    whole = found[_WHOLE]
    rest = zip(whole, *layers.values(), strict=True)
    layers["what is left of the whole"] = tuple(total - sum(parts) for total, *parts in rest)
    figures = [times(_WHOLE, whole, "µs"), *(times(name, layers[name], "µs") for name in layers)]
    figures += [
        Figure(f"{name}, share", tuple(100 * part / total for part, total in zip(layers[name], whole)), "%")  # noqa: B905
        for name in layers
    ]
    note = (
        f"{plan.deltas} deltas in a burst, final_turn_only and hold_json. Each layer is measured over what"
        " the one below it gave; the projection is the stream that a program iterates over."
    )
    return Section("layers", "The share of each layer in a text delta", note, tuple(figures))


async def _cases(site: Site, deltas: int) -> dict[str, Case]:
    url = site.url("prose", deltas)
    agent = prose_agent(url, hold=True)
    await agent.arun(_QUESTION)
    [body] = await site.bodies("prose", deltas)
    pieces = [TextDelta(piece) for piece in prose(deltas)]
    output = output_of(Ticket)
    memory = Agent(_Pieces(pieces), structured_output=agent._spec.config, response_format=Ticket)
    turn = TurnSpec(memory._spec, (), (Message.user(_QUESTION),), output, None)
    reading = _Reading(f"{url}/chat/completions", to_json(body))
    chunks = await reading.chunks()
    records = [data for _, data in _frames(chunks) if data != b"[DONE]"]

    async def frames() -> None:
        _frames(chunks)

    async def parse() -> None:
        for data in records:
            from_json(data)

    async def decode() -> None:
        decoder = WireDecoder(ChatAnswer(ANY_SERVER, None))
        for chunk in chunks:
            for _ in decoder.events(chunk):
                pass

    def step(*, hold: bool) -> Callable[[], Awaitable[None]]:
        setup = TurnSetup((Message.user(_QUESTION),), output=output, mode=Mode.FINAL_TURN, hold=hold)

        async def steps() -> None:
            machine = Machine(setup)
            machine.step(Started())
            for piece in pieces:
                machine.step(piece)

        return steps

    async def drive() -> None:
        driver = Driver(turn)
        while not isinstance(await driver.next(), AgentResult):
            pass

    work: dict[str, Callable[[], Awaitable[Any]]] = {
        "chunks": reading.chunks,
        "frames": frames,
        "json": parse,
        "decoder": decode,
        "machine": step(hold=False),
        "held": step(hold=True),
        "driver": drive,
        "stream": lambda: read(memory.astream(_QUESTION)),
        _WHOLE: lambda: read(agent.astream(_QUESTION)),
    }
    return {name: _case(one, deltas) for name, one in work.items()}


def _case(work: Callable[[], Awaitable[Any]], deltas: int) -> Case:
    async def timed() -> float:
        with Cpu() as cpu:
            await work()
        return cpu.seconds / deltas

    return timed


def _frames(chunks: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    reader = SSEReader(MAX_ANSWER)
    return [event for chunk in chunks for event in reader.feed(chunk)]


class _Pieces:
    """A provider that has its answer ready."""

    capabilities = Capabilities()

    def __init__(self, pieces: Sequence[TextDelta]) -> None:
        self._pieces = pieces

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        return ModelResponse("".join(piece.text for piece in self._pieces))

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        for piece in self._pieces:
            yield piece
        yield ModelEnd()


class _Chunks:
    """A decoder that makes nothing of what it reads."""

    done = large = False
    steady = True
    failure = None

    def __init__(self) -> None:
        self.ending = Ending()
        self.found: list[bytes] = []

    def events(self, chunk: bytes, /) -> list[ModelEvent]:
        self.found.append(chunk)
        return []

    def close(self) -> list[ModelEvent]:
        return []


class _Reading:
    """The library's own transport, as far as bytes go."""

    def __init__(self, url: str, body: bytes) -> None:
        self._transport = Transport(Clients(), max_retries=0, connect_timeout=None, read_timeout=None)
        self._url, self._body = url, body

    async def chunks(self) -> list[bytes]:
        decoder = _Chunks()
        call = Call(self._url, dict(ACCEPT), self._body, None, lambda: decoder)
        async for _ in self._transport.events(call):
            raise AssertionError("nothing is made of the bytes")
        return decoder.found
