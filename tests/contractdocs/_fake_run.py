"""Stands for the process that runs a part: it writes what a test wants, and ends as it wants."""

from __future__ import annotations

import json
import os
import sys

PART, _, FILE = sys.argv[1:]
CASE = {
    "clauses": ["held-json"],
    "test": "test_it",
    "file": "tests/contract/test_x.py",
    "line": 3,
    "driver": "run",
    "kind": "http",
    "read": ["tokens"],
    "outcome": "passed",
    "detail": PART,
}
EXAMPLE = {"file": f"docs/{PART}.md", "line": 1, "outcome": "passed", "detail": ""}
BROKEN = {"file": "tests/contract/test_y.py", "line": 1, "what": "it is broken"}

LINES: list[dict[str, object]] = [
    {"broken": [BROKEN], "unclaimed": [["tests/contract/test_x.py", 9, "test_loose"]] if PART == "0" else []},
    {"begun": ["tests/contract/test_x.py", 3, "test_it[run-http]"]},
    {"case": CASE, "place": 1 - int(PART)},
    {"example": EXAMPLE},
]

with open(FILE, "w", encoding="utf-8") as file:
    file.writelines(json.dumps(line) + "\n" for line in LINES)
    how = os.environ.get("FAKE_RUN", "") if PART == "1" else ""
    if not how:
        file.write(json.dumps({"ended": True}) + "\n")
    else:
        file.write('{"half a li')
if how == "die":
    print("Fatal: no more memory", file=sys.stderr)
    os._exit(3)
