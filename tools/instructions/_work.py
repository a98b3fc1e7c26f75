"""``python -m tools.instructions._work WORK COUNT``: what is counted, in a process of its own.

Every process loads the same, and warms up the same: two that differ in their counts differ in nothing else.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial

from pydantic import BaseModel
from pydantic_core import from_json

from finalturn import Message, TextDelta
from finalturn._response_format import output_of
from finalturn.core.turn import Machine, Mode, Started, TurnSetup
from finalturn.providers._chat_answer import ChatAnswer
from finalturn.providers._profiles import ANY_SERVER
from finalturn.providers._wire_decode import WireDecoder
from tools.bench._wire import json_block, prose, records

# As many as the text has before it repeats, so that every count means the same text.
WARM_UP = 400


class _Ticket(BaseModel):
    topic: str
    urgent: bool


class _Piece:
    """What the reference makes of a text: the plainest object there is."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def reference(count: int) -> int:
    """Plain code over the same records: parse, look up, call a method, make an object."""
    total = 0
    for record in records(count):
        for line in record.split(b"\n\n"):
            if line.startswith(b"data: "):
                for choice in from_json(line[6:])["choices"]:
                    total += len(_Piece(choice["delta"]["content"]).text)
    return total


def codec(count: int) -> None:
    """Bytes to events."""
    decoder = WireDecoder(ChatAnswer(ANY_SERVER, None))
    for record in records(count):
        for _ in decoder.events(record):
            pass


def machine(pieces: Callable[[int], list[str]], count: int, *, hold: bool = False) -> None:
    """Deltas to chunks."""
    setup = TurnSetup(
        (Message.user("Where is it?"),), output=output_of(_Ticket), mode=Mode.FINAL_TURN, hold=hold
    )
    found = Machine(setup)
    found.step(Started())
    for piece in pieces(count):
        found.step(TextDelta(piece))


WORKS: dict[str, Callable[[int], object]] = {
    "reference": reference,
    "codec": codec,
    "machine": partial(machine, prose),
    "machine and hold, prose": partial(machine, prose, hold=True),
    "machine and hold, in a block": partial(machine, json_block, hold=True),
}


def main(name: str, count: int) -> None:
    """Do all of it a little, and one of it more."""
    gc.disable()
    for work in WORKS.values():
        work(WARM_UP)
    if count:
        WORKS[name](count)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
