"""What is asked of every case: a sound provider passes it, and some fault fails it."""

from __future__ import annotations

from collections.abc import Sequence

from finalturn import Capabilities
from finalturn._testing.conformance.case import Case
from finalturn._testing.conformance.judge import judge
from finalturn._testing.conformance.kit import Play, plays_of
from tests.testing._bad_providers import FAULTS
from tests.testing._sound import Sound, kit_of

TEXT_TOOLS = "text-tool-calls-hidden"


def not_upheld(cases: Sequence[Case]) -> list[str]:
    """The plays that a sound provider does not pass."""
    return [str(play) for play in _plays(cases) if not _passes(play)]


def never_violated(cases: Sequence[Case]) -> list[str]:
    """The plays on asyncio that no fault fails, of those that break their clause."""
    return [str(play) for play in _plays(cases) if play.backend == "asyncio" and not _fails(play)]


def _plays(cases: Sequence[Case]) -> list[Play]:
    clauses = dict.fromkeys(case.clause for case in cases)
    found = [play for clause in clauses for play in plays_of(clause) if play.case in cases]
    assert {play.case.name for play in found} == {case.name for case in cases}
    return found


def _passes(play: Play) -> bool:
    sound = SoundInText if play.case.clause == TEXT_TOOLS else Sound
    return judge(kit_of(sound)(), *play).outcome == "upheld"


def _fails(play: Play) -> bool:
    bad = [fault for fault, broken in FAULTS.items() if play.case.clause in broken]
    return any(judge(kit_of(fault)(), *play).outcome == "violated" for fault in bad)


class SoundInText(Sound):
    can = Capabilities(native_tools=False)
