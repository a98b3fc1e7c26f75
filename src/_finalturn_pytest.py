"""The pytest plugin of finalturn: at the end of a run, what became of each clause for each provider.

It stands outside the package and imports nothing of it, so that pytest starts as fast as without it, and a
coverage measurement that begins later misses nothing. What it shows is in the reports of the tests, where
``finalturn.testing.ProviderConformance`` has left it; workers of pytest-xdist send those too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

PROPERTY = "finalturn-conformance"

_COLOURS = {"upheld": "green", "violated": "red", "not run": "yellow"}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a table for each conformance class that was run."""
    kits: dict[str, list[dict[str, Any]]] = {}
    for left in _left_by_tests(terminalreporter):
        kits.setdefault(left["kit"], []).append(left)
    if kits:
        terminalreporter.section("finalturn: the clauses that providers uphold")
    for kit, lefts in sorted(kits.items()):
        terminalreporter.write_line(kit)
        clauses = _by_clause(lefts)
        width = max(map(len, clauses))
        for clause, found in sorted(clauses.items()):
            terminalreporter.write(f"  {clause:{width}}  ")
            terminalreporter.write(f"{found.outcome:8}", **{_COLOURS[found.outcome]: True})
            terminalreporter.write_line(f"  {found}")
        for line in _remarks(lefts):
            terminalreporter.write_line(f"  {line}")


def _by_clause(lefts: list[dict[str, Any]]) -> dict[str, _Found]:
    clauses: dict[str, _Found] = {}
    for left in lefts:
        clauses.setdefault(left["clause"], _Found()).add(left)
        for clause in left["broken"]:
            clauses.setdefault(clause, _Found()).broken_in.append(left["case"])
    return clauses


def _remarks(lefts: list[dict[str, Any]]) -> list[str]:
    """What holds for the class as a whole."""
    general = Counter(left["reason"] for left in lefts if left["general"])
    lines = [f"{_tests(count)} not run: {reason}" for reason, count in sorted(general.items())]
    turns = sum(left["turns"] for left in lefts)
    return [*lines, f"recorded turns that were checked for what a recording can decide: {turns}"]


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"


def _left_by_tests(reporter: Any) -> list[dict[str, Any]]:
    reports = [report for reports in reporter.stats.values() for report in reports]
    return [
        value
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == PROPERTY
    ]


class _Found:
    """What became of one clause, in all cases together."""

    def __init__(self) -> None:
        self.upheld = 0
        self.broken_in: list[str] = []
        self.left_out: list[str] = []
        self.left_out_generally: list[str] = []

    def add(self, left: dict[str, Any]) -> None:
        if left["outcome"] == "upheld":
            self.upheld += 1
        elif left["outcome"] == "violated":
            self.broken_in.append(left["case"])
        elif left["general"]:
            self.left_out_generally.append(left["reason"])
        else:
            self.left_out.append(left["reason"])

    @property
    def outcome(self) -> str:
        if self.broken_in:
            return "violated"
        return "upheld" if self.upheld else "not run"

    def __str__(self) -> str:
        if self.broken_in:
            what = "in " + ", ".join(sorted(set(self.broken_in)))
        elif self.upheld:
            what = f"in {_tests(self.upheld)}"
        else:
            return _each_once(self.left_out or self.left_out_generally)
        if not self.left_out:
            return what
        return f"{what}; {len(self.left_out)} not run: {_each_once(self.left_out)}"


def _each_once(reasons: list[str]) -> str:
    return "; ".join(sorted(set(reasons)))
