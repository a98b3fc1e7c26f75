"""``finalturn sessions import``."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TextIO

from finalturn._cli.sessions.open import FAILED, with_sessions
from finalturn.sessions import ImportProblem, SQLSessions

__all__ = ["run_import"]


def run_import(database: str, path: str, out: TextIO, err: TextIO) -> int:
    """Take a file in. The exit code: 1 when something of it was not imported, 2 when it cannot be read.

    Args:
        database: its path or URL.
        path: the file; ``-`` for standard input.
        out: gets a summary.
        err: gets a line for each problem.
    """
    with ExitStack() as stack:
        try:
            lines = sys.stdin.buffer if path == "-" else stack.enter_context(open(path, "rb"))
        except OSError as error:
            print(f"{path}: {error.strerror or type(error).__name__}", file=err)
            return FAILED

        async def work(sessions: SQLSessions) -> int:
            report = await sessions.import_jsonl(lines)
            for problem in report.problems:
                print(_words(problem), file=err)
            if any(problem.session is None for problem in report.problems):
                print("Nothing was imported: a line that names no session may belong to any.", file=err)
            print(f"imported {_count(report.sessions, 'session')}, {_count(report.turns, 'turn')}", file=out)
            return 1 if report.problems else 0

        return with_sessions(database, work, err)


def _words(problem: ImportProblem) -> str:
    if problem.session is None:
        return f"line {problem.line}: {problem.reason}"
    return f"line {problem.line}: session {problem.session} was not imported: {problem.reason}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"
