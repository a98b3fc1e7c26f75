"""``python -m tools.instructions check`` or ``write``: how many instructions a text delta costs.

The machine and the codec are counted under callgrind, each work as the difference of two processes, and
kept as a ratio to plain code: what another patch version of Python changes in both is not seen. Each minor
version has counts of its own.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic_core import from_json

from finalturn import Message, TextDelta
from finalturn._core.turn import Machine, Mode, Started, TurnSetup
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer
from finalturn._providers.openai_chat.profiles import ANY_SERVER
from finalturn._response_format import output_of
from tools.bench._server import json_block, prose, records
from tools.bench.peers import Ticket

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_suffix(".json")
VERSION = ".".join(platform.python_version_tuple()[:2])

GROWTH = 0.1
"""How much more than what is kept fails: a tenth."""

REFERENCE = "reference"
WORKS = ("codec", "machine", "machine and hold, prose", "machine and hold, in a block")

DELTAS = 2000
"""A whole number of passes through the text of the benchmark."""

WARM_UP = 400

_COLLECTED = re.compile(r"^==\d+== Collected : (\d+)$", re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Count, and say what has come of it."""
    if arguments[:1] == ["do"]:
        do(arguments[1])
        return 0
    if arguments not in (["check"], ["write"]):
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("valgrind") is None:
        missing = "instructions: valgrind is missing; on Debian: apt-get install valgrind libc6-dbg"
        print(missing, file=sys.stderr)
        return 1
    before = kept().get(VERSION)
    if arguments == ["check"] and before is None:
        write = "keep them: python -m tools.instructions write"
        print(f"instructions: not run: no counts are kept for Python {VERSION}; {write}")
        return 0
    counts = counted()
    for name, count in counts.items():
        ratio = "" if name == REFERENCE else f"{count / counts[REFERENCE]:8.3f} x"
        print(f"  {name:32}{count:10,.0f} instructions for each delta{ratio}")
    ratios = {name: round(counts[name] / counts[REFERENCE], 4) for name in WORKS}
    if arguments == ["write"]:
        keep(VERSION, ratios)
        return 0
    problems = list(grown(before or {}, ratios))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def counted() -> dict[str, float]:
    """Instructions of each work and of the reference, for one delta."""
    names = ("nothing", REFERENCE, *WORKS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(names, pool.map(_instructions, names), strict=True))
    return {name: (counts[name] - counts["nothing"]) / DELTAS for name in names[1:]}


def kept(file: Path = FILE) -> Mapping[str, Mapping[str, float]]:
    """The ratios that are kept, by version and work."""
    ratios: Mapping[str, Mapping[str, float]] = json.loads(file.read_text()) if file.exists() else {}
    return ratios


def keep(version: str, ratios: Mapping[str, float], file: Path = FILE) -> None:
    """Keep what has been counted in place of what was."""
    file.write_text(json.dumps({**kept(file), version: ratios}, indent=1, sort_keys=True) + "\n")


def grown(before: Mapping[str, float], ratios: Mapping[str, float]) -> Iterator[str]:
    """The works that have grown by more than a tenth, each in a sentence."""
    for name, ratio in ratios.items():
        growth = ratio / before[name] - 1
        if growth > GROWTH:
            yield (
                f"{name}: {ratio:.3f} x the reference, and {before[name]:.3f} x is kept: {growth:.0%} more."
                " Make it cheaper, or keep the new count: python -m tools.instructions write"
            )


def _instructions(name: str) -> int:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*valgrind, sys.executable, "-m", "tools.instructions", "do", name],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
        timeout=600,
    )
    count = _COLLECTED.search(done.stderr)
    if done.returncode or count is None:
        raise RuntimeError(f"valgrind counted nothing:\n{done.stderr[-2000:]}")
    return int(count[1])


# --- what is counted ------------------------------------------------------------------------------------


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
        (Message.user("Where is it?"),), output=output_of(Ticket), mode=Mode.FINAL_TURN, hold=hold
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


def do(name: str) -> None:
    """Do a little of all, and then one of them, if it is one, as long as it is counted.

    Every process loads the same and makes the same beforehand: two differ in nothing but the work.
    """
    gc.disable()
    found = works()
    for work in found.values():
        work(WARM_UP)
    if name in found:
        found[name](DELTAS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
