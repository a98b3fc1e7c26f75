"""What the parts of the library cost: importing it, and each layer of a text delta."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json

import finalturn
from finalturn import (
    Agent,
    AgentResult,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    TextDelta,
)
from finalturn._agent.driver import Driver
from finalturn._agent.spec import TurnSpec
from finalturn._core.model import Capabilities
from finalturn._providers.answers.decode import MAX_ANSWER
from finalturn._providers.answers.ending import Ending
from finalturn._providers.answers.sse import SSEReader
from finalturn._providers.http.client import Clients
from finalturn._providers.http.provider import ACCEPT
from finalturn._providers.http.transport import Call, Transport
from finalturn._response_format import output_of
from tools.bench._measure import Bound, Case, Cpu, Figure, Plan, Section, in_rounds, ratio, times
from tools.bench._server import prose
from tools.bench._site import Site
from tools.bench._works import prose_agent, read
from tools.bench.peers import QUESTION, Ticket
from tools.instructions import codec, machine

WHOLE = "the whole agent"


_PYDANTIC = "from pydantic import BaseModel, TypeAdapter\nclass Model(BaseModel):\n    field: int\n"
_IMPORTS = {
    "pydantic, with one model class": _PYDANTIC,
    "import finalturn": "import finalturn\n",
    "from finalturn import Agent": "from finalturn import Agent\n",
    "the same, with one model class": "from finalturn import Agent\n" + _PYDANTIC,
}


async def imports(plan: Plan) -> Section:
    """What ``import finalturn`` costs in fresh interpreters."""

    def case(code: str) -> Case:
        async def timed_import() -> float:
            start, end = "import time\nstart = time.process_time()\n", "print(time.process_time() - start)"
            return float(_python(start + code + end))

        return timed_import

    found = await in_rounds({name: case(code) for name, code in _IMPORTS.items()}, plan.slow_rounds)
    reference, *others = found
    figures = [times(name, seconds, "ms") for name, seconds in found.items()]
    for name in others:
        bound = None if "class" in name else Bound(1.2)
        figures.append(ratio(f"{name} / pydantic", found[name], found[reference], bound))
    note = "Each is run alone, and its own start is not counted."
    return Section("import", "Import, in fresh interpreters that are already up", note, tuple(figures))


def _python(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(finalturn.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120)
    return done.stdout


# --- the layers of a text delta ---------------------------------------------------------------------------


async def layers(plan: Plan, site: Site) -> Section:
    """Measure each layer over what the layer below it gave once: chunks, events, deltas."""
    found = await in_rounds(await _layer_cases(site, plan.deltas), plan.rounds)

    def less(name: str, *others: str) -> tuple[float, ...]:
        rounds = zip(found[name], *(found[other] for other in others), strict=True)
        return tuple(first - sum(rest) for first, *rest in rounds)

    shares = {
        "socket and HTTP": found["chunks"],
        "framing": found["frames"],
        "JSON": found["json"],
        "codec": less("decoder", "frames", "json"),
        "machine": found["machine"],
        "hold": less("held", "machine"),
        "driver": less("driver", "held"),
        "projection": less("stream", "driver"),
    }
    whole = found[WHOLE]
    rest = zip(whole, *shares.values(), strict=True)
    shares["what is left of the whole"] = tuple(total - sum(parts) for total, *parts in rest)
    figures = [times(WHOLE, whole, "µs"), *(times(name, taken, "µs") for name, taken in shares.items())]
    for name, taken in shares.items():
        percent = tuple(100 * part / total for part, total in zip(taken, whole, strict=True))
        figures.append(Figure(f"{name}, share", percent, "%"))
    note = (
        f"{plan.deltas} deltas in a burst, final_turn_only and hold_json. Each layer is measured over what"
        " the one below it gave; the projection is the stream that a program iterates over."
    )
    return Section("layers", "The share of each layer in a text delta", note, tuple(figures))


async def _layer_cases(site: Site, deltas: int) -> dict[str, Case]:
    url = site.url("prose", deltas)
    agent = prose_agent(url)
    await agent.arun(QUESTION)
    [body] = await site.bodies(url)
    pieces = [TextDelta(piece) for piece in prose(deltas)]
    memory = Agent(_Pieces(pieces), structured_output=agent._spec.config, response_format=Ticket)
    turn = TurnSpec(memory._spec, (), (Message.user(QUESTION),), output_of(Ticket), None)
    transport = Transport(Clients(), max_retries=0, connect_timeout=None, read_timeout=None)

    async def read_chunks() -> list[bytes]:
        """The library's own transport, as far as bytes go."""
        decoder = _Chunks()
        call = Call(f"{url}/chat/completions", dict(ACCEPT), to_json(body), None, lambda: decoder)
        async for _ in transport.events(call):
            raise AssertionError("nothing is made of the bytes")
        return decoder.chunks

    chunks = await read_chunks()

    def frames() -> list[bytes]:
        reader = SSEReader(MAX_ANSWER)
        return [data for chunk in chunks for _, data in reader.feed(chunk)]

    records = [data for data in frames() if data != b"[DONE]"]

    async def drive() -> None:
        driver = Driver(turn)
        while not isinstance(await driver.next(), AgentResult):
            pass

    def case(work: Callable[[], Awaitable[Any] | Any]) -> Case:
        async def timed_layer() -> float:
            with Cpu() as cpu:
                result = work()
                if isinstance(result, Awaitable):
                    await result
            return cpu.seconds / deltas

        return timed_layer

    return {
        "chunks": case(read_chunks),
        "frames": case(frames),
        "json": case(lambda: [from_json(data) for data in records]),
        "decoder": case(lambda: codec(chunks)),
        "machine": case(lambda: machine(pieces)),
        "held": case(lambda: machine(pieces, hold=True)),
        "driver": case(drive),
        "stream": case(lambda: read(memory.astream(QUESTION), len)),
        WHOLE: case(lambda: read(agent.astream(QUESTION), len)),
    }


class _Pieces:
    """A provider that has its answer ready."""

    capabilities = Capabilities()

    def __init__(self, pieces: Sequence[TextDelta]) -> None:
        self._pieces = pieces

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
        self.chunks: list[bytes] = []

    def events(self, chunk: bytes, /) -> list[ModelEvent]:
        self.chunks.append(chunk)
        return []

    def close(self) -> list[ModelEvent]:
        return []
