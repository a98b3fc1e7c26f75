"""What comes of a case, and how a provider is opened."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import anyio
import pytest

from finalturn import Capabilities, ModelResponse, ProviderError
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._testing.conformance.answers import says
from finalturn._testing.conformance.bench import Bench, NotRunError, ViolatedError
from finalturn._testing.conformance.case import Case, Check
from finalturn._testing.conformance.cases_ends import PLAIN_TURN
from finalturn._testing.conformance.judge import Verdict, judge, opened
from finalturn.providers import Scripted
from finalturn.testing import ProviderConformance, ScriptedAnswer
from tests.testing._kits import ScriptedKit, verdicts


def case(check: Check) -> Case:
    return Case("reasoning-apart", "case", (says("Hi"),), check)


def raising(error: BaseException) -> Case:
    async def check(bench: Bench) -> None:
        raise error

    return case(check)


async def _play(bench: Bench) -> None:
    await bench.turn()


class Broken(ScriptedKit):
    def wrap(self, script: Scripted) -> Provider | StreamingProvider:
        return Scripted(ProviderError("out of order"))


def test_a_case_that_finds_nothing_is_upheld() -> None:
    verdict = judge(ScriptedKit(), case(_play), "stream", "asyncio")
    assert verdict == Verdict("upheld", turns=1)


def test_a_violation_is_told() -> None:
    verdict = judge(ScriptedKit(), raising(ViolatedError("too loud")), "stream", "asyncio")
    assert verdict == Verdict("violated", "too loud")


def test_a_case_that_cannot_decide_says_why() -> None:
    verdict = judge(ScriptedKit(), raising(NotRunError("no window")), "stream", "asyncio")
    assert verdict == Verdict("not run", "no window")


def test_a_need_that_is_not_met_is_the_reason() -> None:
    found = Case("reasoning-apart", "case", (says("Hi"),), _play, (lambda hooks, capabilities: "no luck",))
    assert judge(ScriptedKit(), found, "stream", "asyncio") == Verdict("not run", "no luck")


def test_an_exception_is_a_violation_of_the_case_that_meets_it() -> None:
    error = KeyError("x")
    verdict = judge(ScriptedKit(), raising(error), "stream", "asyncio")
    assert (verdict.outcome, verdict.reason, verdict.error) == ("violated", "'x'", error)
    assert judge(ScriptedKit(), raising(KeyError()), "stream", "asyncio").reason == "it raised KeyError"


def test_where_even_a_plain_turn_fails_other_cases_tell_nothing() -> None:
    verdict = judge(Broken(), raising(KeyError("x")), "stream", "asyncio")
    assert verdict == Verdict("not run", "a plain turn fails, too: see result-is-last")
    plain = judge(Broken(), PLAIN_TURN, "stream", "asyncio")
    assert (plain.outcome, plain.reason) == ("violated", "the turn raised ProviderError")


def test_an_event_loop_that_the_author_leaves_out() -> None:
    class OnAsyncio(ScriptedKit):
        backends = ("asyncio",)

    verdict = judge(OnAsyncio(), case(_play), "stream", "trio")
    assert verdict == Verdict("not run", "backends leaves trio out", general=True)


def test_an_event_loop_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_there(name: str) -> None:
        return None

    monkeypatch.setattr("finalturn._testing.conformance.judge.find_spec", not_there)
    verdict = judge(ScriptedKit(), case(_play), "stream", "trio")
    assert verdict == Verdict("not run", "trio is not installed", general=True)


def test_a_provider_that_hangs_is_not_waited_for(anyio_backend: str) -> None:
    class Hanging(ProviderConformance):
        time_limit = 0.01
        capabilities = Capabilities()

        def provider(self, calls: Sequence[ScriptedAnswer], /) -> Provider:
            return self

        async def complete(self, request: Any, /) -> ModelResponse:
            await anyio.sleep_forever()
            raise AssertionError

    verdict = judge(Hanging(), PLAIN_TURN, "complete", anyio_backend)
    assert verdict.outcome == "violated"
    assert isinstance(verdict.error, TimeoutError)


class Client:
    """A provider that is opened and closed."""

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    async def __aenter__(self) -> Client:
        self.seen.append("client opened")
        return self

    async def __aexit__(self, *error: object) -> None:
        self.seen.append("client closed")

    async def complete(self, request: Any, /) -> ModelResponse:
        return ModelResponse("Hi")


def plainly(seen: list[str]) -> Any:
    return Client(seen)


@contextmanager
def in_a_server(seen: list[str]) -> Generator[Client]:
    seen.append("server opened")
    yield Client(seen)
    seen.append("server closed")


@asynccontextmanager
async def in_an_async_server(seen: list[str]) -> AsyncGenerator[Client]:
    seen.append("server opened")
    yield Client(seen)
    seen.append("server closed")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("factory", "expected"),
    [
        (plainly, ["client opened", "client closed"]),
        (in_a_server, ["server opened", "client opened", "client closed", "server closed"]),
        (in_an_async_server, ["server opened", "client opened", "client closed", "server closed"]),
    ],
)
async def test_whatever_the_factory_gives_is_opened_and_closed(
    factory: Callable[[list[str]], Any], expected: list[str]
) -> None:
    class Kit(ProviderConformance):
        def provider(self, calls: Sequence[ScriptedAnswer], /) -> Any:
            return factory(seen)

    seen: list[str] = []
    async with opened(Kit(), [says("Hi")]) as provider:
        assert isinstance(provider, Client)
    assert seen == expected


class InATaskGroup(ScriptedKit):
    """Its fake server is a task of a group, so that what leaves the group comes in one."""

    depth: int = 1

    @asynccontextmanager
    async def group(self) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            await self.begins()
            yield
            tasks.cancel_scope.cancel()

    async def begins(self) -> None:
        """What the server does at its start."""

    @asynccontextmanager
    async def nested(self, calls: Sequence[ScriptedAnswer]) -> AsyncGenerator[Any]:
        async with AsyncExitStack() as stack:
            for _ in range(self.depth):
                await stack.enter_async_context(self.group())
            yield Scripted(*calls, capabilities=self.can)

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> Any:
        return self.nested(calls)


def group(*errors: BaseException) -> BaseExceptionGroup[BaseException]:
    return BaseExceptionGroup("several", errors)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (NotRunError("no window", general=True), Verdict("not run", "no window", general=True)),
        (ViolatedError("too loud"), Verdict("violated", "too loud")),
        (group(NotRunError("no window")), Verdict("not run", "no window")),
        (group(group(NotRunError("no window"), ViolatedError("too loud"))), Verdict("violated", "too loud")),
        (group(LookupError("lost"), ViolatedError("too loud")), Verdict("violated", "too loud")),
    ],
)
def test_what_a_case_decides_passes_through_no_task_group_of_the_author(
    error: BaseException, verdict: Verdict, depth: int, backend: str
) -> None:
    kit = InATaskGroup()
    kit.depth = depth
    assert judge(kit, raising(error), "stream", backend) == verdict


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_exception_of_the_authors_group_is_taken_out_of_it(backend: str) -> None:
    class Crashes(InATaskGroup):
        depth = 2

        async def begins(self) -> None:
            raise OSError("no port")

    verdict = judge(Crashes(), PLAIN_TURN, "stream", backend)
    assert (verdict.outcome, verdict.reason) == ("violated", "no port")
    assert isinstance(verdict.error, OSError)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_several_exceptions_at_once_stay_together(backend: str) -> None:
    verdict = judge(
        InATaskGroup(),
        raising(group(LookupError("a"), group(OSError("b"), NotRunError("c")))),
        "stream",
        backend,
    )
    assert verdict.outcome == "violated"
    assert isinstance(verdict.error, ExceptionGroup)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_skip_in_the_authors_group_is_a_skip(backend: str) -> None:
    class Skips(InATaskGroup):
        async def begins(self) -> None:
            pytest.skip("the wire has no words for it")

    with pytest.raises(pytest.skip.Exception, match="no words"):
        judge(Skips(), case(_play), "stream", backend)


def test_the_whole_kit_runs_with_a_server_in_a_task_group() -> None:
    class Silent(InATaskGroup):
        def sent(self) -> Any:
            return None

        def released(self) -> Any:
            return None

    found = [verdict for _, verdict in verdicts(Silent, ["asyncio"])]
    assert {verdict.outcome for verdict in found} == {"upheld", "not run"}
    assert "sent() is not overridden" in {verdict.reason for verdict in found}
