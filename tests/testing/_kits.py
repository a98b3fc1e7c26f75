"""The conformance kit on providers that stand at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import pytest

from finalturn import Capabilities
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._testing.conformance.bench import Way
from finalturn._testing.conformance.cases_life import LIFE_CASES
from finalturn._testing.conformance.judge import CaseVerdict, judge
from finalturn._testing.conformance.kit import BACKENDS, Play, leave, plays_of
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ChatServerConformance, ProviderConformance, ScriptedAnswer

EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


class ScriptedKit(ProviderConformance):
    """`Scripted` is its own vendor."""

    can: ClassVar[Capabilities] = EVERYTHING
    script: Scripted

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> Provider | StreamingProvider:
        self.script = Scripted(*calls, capabilities=self.can)
        return self.wrap(self.script)

    def wrap(self, script: Scripted) -> Provider | StreamingProvider:
        return script

    def sent(self) -> Sequence[str]:
        return [repr(request) for request in self.script.requests]

    def released(self) -> bool:
        return self.script.open == 0


class ChatKit(ChatServerConformance):
    can: ClassVar[Capabilities] = EVERYTHING

    def connect(self, base_url: str, /) -> OpenAIChat:
        return OpenAIChat("any", base_url=base_url, api_key=self.secret, capabilities=self.can, max_retries=0)


class OneTestPerClause(ProviderConformance):
    """The kit with one test for each clause, which says which of its plays failed.

    Attributes:
        loops: the event loops for all cases. Those of `LIFE_CASES` run on every loop: what is closed, and
            what runs at the same time, has to do with it; how an answer is read has not.
    """

    loops: ClassVar[Sequence[str]] = ("asyncio",)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "play" in metafunc.fixturenames:
            clause = metafunc.function.__name__.removeprefix("test_").replace("_", "-")
            # Any play of the clause stands for all.
            metafunc.parametrize("play", plays_of(clause)[:1], ids=["all-plays"])

    def _uphold(self, play: Play, request: pytest.FixtureRequest) -> None:
        plays = [
            one for one in plays_of(play.case.clause) if one.backend in self.loops or one.case in LIFE_CASES
        ]
        found = list(judged(type(self), plays))
        for one, verdict in found:
            leave(request, one, verdict)
        broken = [
            f"{one}: {clause}: {reason}" for one, each in found for clause, reason in breaches(one, each)
        ]
        if broken:
            error = next((verdict.error for _, verdict in found if verdict.error), None)
            raise AssertionError("\n".join(broken)) from error
        if all(verdict.outcome == "not run" for _, verdict in found):
            pytest.skip("; ".join(sorted({verdict.reason for _, verdict in found})))


def judged(kit: type[ProviderConformance], plays: Iterable[Play]) -> Iterator[tuple[Play, CaseVerdict]]:
    """What the kit finds, play by play."""
    for play in plays:
        try:
            verdict = judge(kit(), *play)
        except pytest.skip.Exception as skipped:
            verdict = CaseVerdict("not run", str(skipped))
        yield play, verdict


def breaches(play: Play, verdict: CaseVerdict) -> Iterator[tuple[str, str]]:
    """The clauses that a play found broken, and how."""
    if verdict.outcome == "violated":
        yield play.case.clause, verdict.reason
    yield from verdict.broken.items()


def verdicts(
    kit: type[ProviderConformance],
    backends: Sequence[str] = BACKENDS,
    ways: Sequence[Way] = ("stream", "complete"),
) -> Iterator[tuple[Play, CaseVerdict]]:
    """What the kit finds in all its tests."""
    clauses = [name.removeprefix("test_").replace("_", "-") for name in vars(ProviderConformance)]
    plays = [play for clause in clauses for play in plays_of(clause)]
    return judged(kit, [play for play in plays if play.backend in backends and play.way in ways])
