"""`ProviderConformance`: the test class that the author of a provider subclasses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.bench import Way
from finalturn._testing.conformance.case import Case
from finalturn._testing.conformance.cases_calls import CALL_CASES
from finalturn._testing.conformance.cases_ends import END_CASES
from finalturn._testing.conformance.cases_life import LIFE_CASES
from finalturn._testing.conformance.cases_outcome import OUTCOME_CASES
from finalturn._testing.conformance.cases_requests import REQUEST_CASES
from finalturn._testing.conformance.cases_text import TEXT_CASES
from finalturn._testing.conformance.hooks import Opened
from finalturn._testing.conformance.judge import CaseVerdict, judge
from finalturn.stability import beta

if TYPE_CHECKING:
    import pytest

__all__ = ["CASES", "Play", "ProviderConformance"]

CASES: tuple[Case, ...] = (
    *TEXT_CASES,
    *END_CASES,
    *CALL_CASES,
    *OUTCOME_CASES,
    *REQUEST_CASES,
    *LIFE_CASES,
)

PROPERTY = "finalturn-conformance"
"""The name of what a test leaves in its report, for the table at the end of the run."""

BACKENDS = ("asyncio", "trio")


class Play(NamedTuple):
    """A case, the method of the provider that it uses, and the event loop that it runs on."""

    case: Case
    way: Way
    backend: str

    def __str__(self) -> str:
        return f"{self.case.name}-{self.way}-{self.backend}"


def plays_of(clause: str) -> list[Play]:
    """How a clause is tested."""
    cases = [case for case in CASES if case.clause == clause]
    return [Play(case, way, backend) for case in cases for way in case.ways for backend in BACKENDS]


@beta(since="0.1.0")
class ProviderConformance:
    """Subclass it, give a factory, and run pytest: each test says whether your provider upholds a clause.

    ```python
    class TestMine(ProviderConformance):
        def provider(self, calls):
            return MyProvider(transport=FakeVendor(calls))
    ```

    A test is named after its clause, and its parameters after the case, the method that is used and the
    event loop: ``test_reasoning_apart[call-stream-trio]``. What cannot be tested is skipped with the
    reason. At the end of the run pytest prints a table of the clauses.

    For a vendor whose wire has no words for what is to be answered, call ``pytest.skip`` with the reason
    in the factory. Give the provider no retries, or a run waits for them.

    Attributes:
        supports_reasoning: the vendor sends reasoning apart from text.
        reports_usage: the vendor reports tokens.
        reports_refusals: the vendor marks an answer as a refusal.
        keeps_call_ids: the vendor gives each tool call an id.
        backends: the event loops that the provider runs on.
        secret: the key to give to the provider; no error may show it.
        time_limit: how many seconds a case may take.
    """

    supports_reasoning: bool = True
    reports_usage: bool = True
    reports_refusals: bool = True
    keeps_call_ids: bool = True
    backends: Sequence[str] = BACKENDS
    secret: str = "sk-zq7xsecret"
    time_limit: float = 30.0

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> Opened:
        """A new provider, whose vendor gives these answers, in the order of its requests.

        Args:
            calls: one answer for each request. A test may make fewer requests than there are answers.

        Returns:
            The provider, or a context manager that gives it. A provider that is an asynchronous context
            manager itself is entered and left.
        """
        raise NotImplementedError(f"{type(self).__name__} must override provider(calls)")

    def sent(self) -> Sequence[str] | None:
        """The text of every request that the vendor got from the last `provider`, in order.

        Returns:
            ``None``, the default, where it cannot be told: what is seen in requests alone is not tested.
        """
        return None

    def released(self) -> bool | None:
        """Whether the last `provider` holds nothing any more of an answer that was closed in its middle.

        Asked once, in a thread: wait here for as long as the vendor may take to notice.

        Returns:
            ``None``, the default, where it cannot be told: closing is not tested.
        """
        return None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each test the cases of the clause that it is named after."""
        if "play" in metafunc.fixturenames:
            name = metafunc.function.__name__
            plays = plays_of(name.removeprefix("test_").replace("_", "-"))
            metafunc.parametrize("play", plays, ids=str)

    def test_reasoning_apart(self, play: Play, request: pytest.FixtureRequest) -> None:
        """What the vendor marks as reasoning comes as reasoning, and only there."""
        self._uphold(play, request)

    def test_whole_reply_parity(self, play: Play, request: pytest.FixtureRequest) -> None:
        """The text is the vendor's, character by character, in pieces and as a whole."""
        self._uphold(play, request)

    def test_result_is_last(self, play: Play, request: pytest.FixtureRequest) -> None:
        """An answer ends with one `ModelEnd`; one that fails or breaks off raises a `ProviderError`."""
        self._uphold(play, request)

    def test_no_doubled_text(self, play: Play, request: pytest.FixtureRequest) -> None:
        """What has begun to be given out is not asked for again."""
        self._uphold(play, request)

    def test_tool_calls_always_stream(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Tools are offered, and every call of them arrives: each once, with its own arguments."""
        self._uphold(play, request)

    def test_text_tool_calls_hidden(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Without native tools, calls that are written as text are found in it."""
        self._uphold(play, request)

    def test_tool_call_id_native(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Each call has the vendor's own id, which goes back with its result."""
        self._uphold(play, request)

    def test_never_repaired(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Malformed arguments and cut answers arrive as such."""
        self._uphold(play, request)

    def test_answer_on_result(self, play: Play, request: pytest.FixtureRequest) -> None:
        """A turn ends in its object; a schema is sent where the capabilities say so."""
        self._uphold(play, request)

    def test_explicit_outcome(self, play: Play, request: pytest.FixtureRequest) -> None:
        """A refusal is told from an answer."""
        self._uphold(play, request)

    def test_usage_complete(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Tokens are counted, and counted once."""
        self._uphold(play, request)

    def test_errors_are_clean(self, play: Play, request: pytest.FixtureRequest) -> None:
        """An error shows neither the vendor's words, nor the model's, nor the key."""
        self._uphold(play, request)

    def test_history_replayable(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Any history can be sent."""
        self._uphold(play, request)

    def test_seeded_messages_untouched(self, play: Play, request: pytest.FixtureRequest) -> None:
        """A request is not changed, and nothing of it is left out."""
        self._uphold(play, request)

    def test_close_stops_work(self, play: Play, request: pytest.FixtureRequest) -> None:
        """An answer that is closed in its middle holds nothing any more."""
        self._uphold(play, request)

    def test_runs_are_isolated(self, play: Play, request: pytest.FixtureRequest) -> None:
        """Two calls at the same time share nothing."""
        self._uphold(play, request)

    def _uphold(self, play: Play, request: pytest.FixtureRequest) -> None:
        import pytest

        clause = play.case.clause
        try:
            verdict = judge(self, *play)
        except pytest.skip.Exception as skipped:
            leave(request, play, CaseVerdict("not run", str(skipped)))
            raise
        leave(request, play, verdict)
        if verdict.outcome == "not run":
            pytest.skip(verdict.reason)
        broken = {clause: verdict.reason} if verdict.outcome == "violated" else {}
        broken = {**verdict.broken, **broken}
        words = "\n".join(f"{name} is violated: {reason}" for name, reason in broken.items())
        if verdict.error is not None:
            verdict.error.add_note(words)
            raise verdict.error
        if broken:
            pytest.fail(words, pytrace=False)


def leave(request: pytest.FixtureRequest, play: Play, verdict: CaseVerdict) -> None:
    """Leave a verdict in the test's report, in types that every kind of report can carry."""
    record = {
        "kit": request.node.nodeid.rpartition("::")[0],
        "clause": play.case.clause,
        "case": f"{play.case.name} ({play.way})",
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "general": verdict.general,
        "turns": verdict.turns,
        "broken": dict(verdict.broken),
    }
    request.node.user_properties.append((PROPERTY, record))
