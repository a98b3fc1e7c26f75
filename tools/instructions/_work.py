"""``python -m tools.instructions._work WORK``: what is counted, in a process of its own.

Every process loads the same, makes the same beforehand, and does a little of each work. Two that are asked
for different work differ in nothing else.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence

from pydantic import BaseModel
from pydantic_core import from_json

from finalturn import Message, TextDelta
from finalturn._core.turn import Machine, Mode, Started, TurnSetup
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profiles import ANY_SERVER
from finalturn._response_format import output_of
from tools.bench._server import json_block, prose, records

REFERENCE = "reference"
WORKS = ("codec", "machine", "machine and hold, prose", "machine and hold, in a block")

# A whole number of passes through the text of the benchmark.
DELTAS = 2000

WARM_UP = 400


class _Ticket(BaseModel):
    topic: str
    urgent: bool


class _Piece:
    """What the reference makes of a text: the plainest object there is."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def reference(given: Sequence[bytes]) -> None:
    """Plain code over the records of a stream: cut, parse, look up, make an object."""
    found: list[_Piece] = []
    for record in given:
        for line in record.split(b"\n\n"):
            if line.startswith(b"data: "):
                choices = from_json(line[6:])["choices"]
                found += [_Piece(choice["delta"]["content"]) for choice in choices]


def codec(given: Sequence[bytes]) -> None:
    """Bytes to events."""
    decoder = WireDecoder(OpenAIChatAnswer(ANY_SERVER, None))
    for record in given:
        for _ in decoder.events(record):
            pass


def machine(given: Sequence[TextDelta], *, hold: bool = False) -> None:
    """Deltas to chunks."""
    setup = TurnSetup(
        (Message.user("Where is it?"),), output=output_of(_Ticket), mode=Mode.FINAL_TURN, hold=hold
    )
    found = Machine(setup)
    found.step(Started())
    for piece in given:
        found.step(piece)


def works() -> dict[str, Callable[[int], None]]:
    """Each work, for so many deltas of what is made here."""
    count = max(DELTAS, WARM_UP)
    wire = records(count)
    text, block = ([TextDelta(piece) for piece in make(count)] for make in (prose, json_block))
    return {
        REFERENCE: lambda length: reference(wire[:length]),
        "codec": lambda length: codec(wire[:length]),
        "machine": lambda length: machine(text[:length]),
        "machine and hold, prose": lambda length: machine(text[:length], hold=True),
        "machine and hold, in a block": lambda length: machine(block[:length], hold=True),
    }


def main(name: str) -> None:
    """Do a little of all, and then one of them, if it is one, as long as it is counted."""
    gc.disable()
    found = works()
    for work in found.values():
        work(WARM_UP)
    if name in found:
        found[name](DELTAS)


if __name__ == "__main__":
    main(sys.argv[1])
