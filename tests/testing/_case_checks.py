"""What is asked of every case: a sound provider passes it, and some fault fails it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finalturn import Capabilities
from finalturn._testing.conformance.bench import Way
from finalturn._testing.conformance.case import Case
from finalturn._testing.conformance.judge import judge
from tests.testing._bad_providers import FAULTS
from tests.testing._sound import Sound, kit_of

TEXT_TOOLS = "text-tool-calls-hidden"


def plays(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Parametrise a test by each case and each way to play it."""
    found = [(case, way) for case in cases for way in case.ways]
    return pytest.mark.parametrize(
        ("case", "way"), found, ids=[f"{case.clause}-{case.name}-{way}" for case, way in found]
    )


def failing(case: Case, way: Way) -> list[str]:
    """The faults that fail a case, of those that break its clause."""
    bad = [fault for fault, broken in FAULTS.items() if case.clause in broken]
    outcomes = {fault: judge(kit_of(fault)(), case, way, "asyncio").outcome for fault in bad}
    return [fault.__name__ for fault, outcome in outcomes.items() if outcome == "violated"]


def passes(case: Case, way: Way, backend: str) -> bool:
    """Whether a sound provider passes it."""
    kit = kit_of(Sound)()
    if case.clause == TEXT_TOOLS:
        kit = kit_of(SoundInText)()
    return judge(kit, case, way, backend).outcome == "upheld"


class SoundInText(Sound):
    can = Capabilities(native_tools=False)
