"""``python -m tools.instructions check`` or ``write``: count, and compare or keep."""

from __future__ import annotations

import shutil
import sys

from tools.instructions._bounds import grown, keep, kept, version
from tools.instructions._counting import REFERENCE, counted, ratios


def main(arguments: list[str]) -> int:
    """Count, and say what has come of it."""
    if arguments not in (["check"], ["write"]):
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("valgrind") is None:
        print(
            "instructions: valgrind is missing; on Debian: apt-get install valgrind libc6-dbg",
            file=sys.stderr,
        )
        return 1
    before = kept().get(version())
    if arguments == ["check"] and before is None:
        print(
            f"instructions: not run: no counts are kept for Python {version()};"
            " keep them: python -m tools.instructions write"
        )
        return 0
    found = counted()
    for name, count in found.items():
        ratio = "" if name == REFERENCE else f"{count / found[REFERENCE]:8.3f} x"
        print(f"  {name:32}{count:10,.0f} instructions for each delta{ratio}")
    if arguments == ["write"]:
        keep(version(), ratios(found))
        return 0
    assert before is not None
    problems = list(grown(before, ratios(found)))
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
