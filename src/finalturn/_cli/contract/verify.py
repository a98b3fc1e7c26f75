"""The command ``finalturn contract verify``: checks recorded turns against the contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from finalturn._contract.traces.file import FileTrace, read_file
from finalturn.contract import Finding, TraceFormatError, verify

__all__ = ["run_verify"]

_UPHELD, _VIOLATED, _UNREADABLE = 0, 1, 2


def run_verify(paths: Sequence[str], out: TextIO, err: TextIO, *, everything: bool = False) -> int:
    """Check trace files. The exit code: 1 when a clause is violated, 2 when a file cannot be read.

    Args:
        paths: the files.
        out: gets a line for each violation, and a summary.
        err: gets a line for each file that cannot be read, or holds no turn.
        everything: name what is upheld and what cannot be decided, too.
    """
    counts: Counter[str] = Counter()
    turns = unreadable = 0
    for path in paths:
        try:
            traces = read_file(path)
            problem = None if traces else f"{path}: there is no turn in it"
        except TraceFormatError as error:
            traces, problem = [], str(error)
        except OSError as error:
            traces, problem = [], f"{path}: {error.strerror or type(error).__name__}"
        if problem is not None:
            print(problem, file=err)
            unreadable += 1
        for file_trace in traces:
            turns += 1
            for finding in verify(file_trace.trace):
                counts[finding.outcome] += 1
                if everything or finding.outcome == "violated":
                    print(_line(path, file_trace, finding), file=out)
    if turns:
        print(_summary(turns, counts), file=out)
    return _UNREADABLE if unreadable else _VIOLATED if counts["violated"] else _UPHELD


def _line(path: str, file_trace: FileTrace, finding: Finding) -> str:
    if finding.record is not None:
        return f"{path}:{file_trace.lines[finding.record]} {finding.clause}: expected that {finding.text}"
    outcome = "upheld" if finding.outcome == "upheld" else f"not decidable here: {finding.text}"
    return f"{path}:{file_trace.lines[0]} {finding.clause}: {outcome}"


def _summary(turns: int, counts: Counter[str]) -> str:
    violations = counts["violated"]
    return (
        f"{turns} turn{'s' * (turns != 1)}: {violations or 'no'} violation{'s' * (violations != 1)},"
        f" {counts['upheld']} clauses upheld, {counts['undecidable']} not decidable here"
    )
