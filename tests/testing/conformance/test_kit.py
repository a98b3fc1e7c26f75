"""The kit on scripted providers of every kind, and on providers with one fault each."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from finalturn import Capabilities
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.turn.table import ClauseId
from finalturn._testing.conformance.bench import Way
from finalturn._testing.conformance.kit import CASES, plays_of
from finalturn.providers import Scripted
from finalturn.testing import ProviderConformance
from tests.testing._bad_events import ReasoningDropped
from tests.testing._bad_providers import FAULTS
from tests.testing._kits import OneTestPerClause, ScriptedKit, breaches, verdicts
from tests.testing._sound import Sound, kit_of


class TestScripted(ScriptedKit):
    """It streams, and answers as a whole. Its tests are those that an author gets."""


class TestScriptedWithTextCalls(OneTestPerClause, ScriptedKit):
    can = Capabilities(native_tools=False)


class TestWholeReply(OneTestPerClause, ScriptedKit):
    def wrap(self, script: Scripted) -> Provider | StreamingProvider:
        return script.whole_reply()


class TestSyncWholeReply(OneTestPerClause, ScriptedKit):
    def wrap(self, script: Scripted) -> Provider | StreamingProvider:
        return script.whole_reply(sync=True)


class TestSyncStream(OneTestPerClause, ScriptedKit):
    def wrap(self, script: Scripted) -> Provider | StreamingProvider:
        return script.sync_stream()


def broken_by(fault: type[Sound]) -> set[str]:
    # The whole reply of most is collected from their stream, so it has the same fault.
    ways: list[Way] = ["stream"] if fault.complete is Sound.complete else ["stream", "complete"]
    found = verdicts(kit_of(fault), ["asyncio"], ways)
    return {clause for play, verdict in found for clause, _ in breaches(play, verdict)}


@pytest.mark.parametrize(("fault", "expected"), FAULTS.items(), ids=[fault.__name__ for fault in FAULTS])
def test_a_fault_breaks_exactly_these_clauses(fault: type[Sound], expected: set[ClauseId]) -> None:
    assert broken_by(fault) == expected


def unreported() -> Any:
    """A request for fixtures whose report is not this run's."""
    return SimpleNamespace(node=SimpleNamespace(nodeid="kit::test", user_properties=[]))


def test_a_case_that_the_factory_skips_is_reported_as_not_run() -> None:
    class Wordless(ScriptedKit):
        def provider(self, calls: Sequence[object], /) -> Scripted:
            pytest.skip("the wire has no words for it")

    request = unreported()
    with pytest.raises(pytest.skip.Exception):
        Wordless().test_reasoning_apart(plays_of("reasoning-apart")[0], request)
    ((_, left),) = request.node.user_properties
    assert (left["outcome"], left["reason"]) == ("not run", "the wire has no words for it")


def test_one_test_for_a_clause_names_the_plays_that_break_it() -> None:
    class Dropping(OneTestPerClause, kit_of(ReasoningDropped)):  # type: ignore[misc]  # pyright: ignore
        pass

    request = unreported()
    with pytest.raises(AssertionError, match=r"^call-stream-asyncio: reasoning-apart: ") as caught:
        Dropping().test_reasoning_apart(plays_of("reasoning-apart")[0], request)
    assert "\nturn-complete-asyncio: " in str(caught.value)
    assert len(request.node.user_properties) == 4


def test_every_clause_of_the_kit_is_broken_by_some_fault() -> None:
    assert set[str]().union(*FAULTS.values()) == {case.clause for case in CASES}


def test_each_clause_has_a_test_and_each_test_a_clause() -> None:
    tests = {name for name in dir(ProviderConformance) if name.startswith("test_")}
    assert tests == {f"test_{case.clause.replace('-', '_')}" for case in CASES}
    assert {case.clause for case in CASES} <= set(get_args(ClauseId))


def test_plays_have_names_of_their_own() -> None:
    names = [str(play) for play in plays_of("reasoning-apart")]
    assert names[:4] == [
        "call-stream-asyncio",
        "call-stream-trio",
        "call-complete-asyncio",
        "call-complete-trio",
    ]
    for case in CASES:
        plays = [str(play) for play in plays_of(case.clause)]
        assert len(set(plays)) == len(plays)


def test_an_author_who_tells_nothing_is_told_what_was_not_run() -> None:
    class Silent(ProviderConformance):
        def provider(self, calls: Sequence[object], /) -> Scripted:
            return Scripted(*calls)  # type: ignore[arg-type]

    reasons = {verdict.reason for _, verdict in verdicts(Silent, ["asyncio"]) if verdict.outcome == "not run"}
    assert {"sent() is not overridden", "released() is not overridden"} <= reasons


def test_the_factory_must_be_given() -> None:
    with pytest.raises(NotImplementedError, match=r"ProviderConformance must override provider\(calls\)"):
        ProviderConformance().provider([])
