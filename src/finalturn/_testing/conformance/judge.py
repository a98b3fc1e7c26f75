"""Runs a case on a provider, and says what has come of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
)
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.turn.table import ClauseId
from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.bench import Bench, NotRunError, ViolatedError, Way
from finalturn._testing.conformance.case import Case
from finalturn._testing.conformance.cases_ends import PLAIN_TURN
from finalturn._testing.conformance.hooks import AnyProvider, KitHooks

if TYPE_CHECKING:
    from finalturn.contract import Clause, Trace

Outcome: TypeAlias = Literal["upheld", "violated", "not run"]


@dataclass(frozen=True)
class CaseVerdict:
    """What has come of a case.

    Attributes:
        reason: why it is violated or was not run.
        general: the reason holds for every case that is played this way.
        error: what the provider raised where it was to answer.
        turns: how many turns were recorded.
        broken: how these turns break other clauses.
    """

    outcome: Outcome
    reason: str = ""
    general: bool = False
    error: Exception | None = None
    turns: int = 0
    broken: Mapping[ClauseId, str] = field(default_factory=dict[ClauseId, str])


def judge(hooks: KitHooks, case: Case, way: Way, backend: str) -> CaseVerdict:
    """Run a case.

    Args:
        hooks: the author's class.
        case: what to run.
        way: by which of the provider's methods.
        backend: on which event loop.
    """
    if backend not in hooks.backends:
        return CaseVerdict("not run", f"backends leaves {backend} out", general=True)
    if find_spec(backend) is None:
        return CaseVerdict("not run", f"{backend} is not installed", general=True)
    traces: list[Trace] = []
    verdict = _verdict(hooks, case, way, backend, traces)
    return replace(verdict, turns=len(traces), broken=broken_in(traces))


def _verdict(hooks: KitHooks, case: Case, way: Way, backend: str, traces: list[Trace]) -> CaseVerdict:
    try:
        _play(hooks, case, way, backend, traces)
    except BaseException as raised:
        error = _cause(raised)
        if not isinstance(error, Exception):
            raise error from None
        if isinstance(error, NotRunError):
            return CaseVerdict("not run", str(error), general=error.general)
        if isinstance(error, ViolatedError):
            return CaseVerdict("violated", str(error))
        if case is not PLAIN_TURN and judge(hooks, PLAIN_TURN, way, backend).outcome == "violated":
            return CaseVerdict("not run", "a plain turn fails, too: see result-is-last")
        reason = str(error) or f"it raised {type(error).__name__}"
        return CaseVerdict("violated", reason, error=error)
    return CaseVerdict("upheld")


def _cause(error: BaseException) -> BaseException:
    """What a group of exceptions comes down to: the author's code may run in a task group, as may a case."""
    leaves = list(_leaves(error))
    # What ends a test otherwise, such as pytest.skip(), counts before all; then what decides the clause.
    for decides in (_is_no_exception, _is_violation):
        for leaf in leaves:
            if decides(leaf):
                return leaf
    failures = [leaf for leaf in leaves if not isinstance(leaf, NotRunError)]
    if len(failures) > 1:
        return error
    return (failures or leaves)[0]


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _is_no_exception(error: BaseException) -> bool:
    return not isinstance(error, Exception)


def _is_violation(error: BaseException) -> bool:
    return isinstance(error, ViolatedError)


def _play(hooks: KitHooks, case: Case, way: Way, backend: str, traces: list[Trace]) -> None:
    import anyio

    outcome: list[Exception] = []

    async def main() -> None:
        with anyio.fail_after(hooks.time_limit):
            async with opened(hooks, case.answers) as provider:
                # No outcome passes through the author's context managers: they may change it.
                try:
                    await _check(hooks, case, way, provider, traces)
                except Exception as error:
                    outcome.append(error)

    anyio.run(main, backend=backend)
    if outcome:
        # Popped, for an exception leads through its traceback to this frame: it must not lead back.
        raise outcome.pop()


async def _check(hooks: KitHooks, case: Case, way: Way, provider: AnyProvider, traces: list[Trace]) -> None:
    bench = Bench(provider, way, hooks)
    for need in case.needs:
        missing = need(hooks, bench.capabilities)
        if missing is not None:
            raise NotRunError(missing)
    try:
        await case.check(bench)
    finally:
        traces.extend(bench.traces)


@asynccontextmanager
async def opened(hooks: KitHooks, calls: Sequence[ScriptedAnswer]) -> AsyncGenerator[AnyProvider]:
    """The author's provider: out of the context manager that gives it, and entered where it is one."""
    async with AsyncExitStack() as stack:
        provider: object = hooks.provider(calls)
        if not isinstance(provider, (Provider, StreamingProvider)):
            provider = await _entered(stack, provider)
        yield await _entered(stack, provider)


async def _entered(stack: AsyncExitStack, provider: object) -> Any:
    if isinstance(provider, AbstractAsyncContextManager):
        return await stack.enter_async_context(cast("AbstractAsyncContextManager[Any]", provider))
    if isinstance(provider, AbstractContextManager):
        return stack.enter_context(cast("AbstractContextManager[Any]", provider))
    return provider


def broken_in(traces: Iterable[Trace], clauses: Iterable[Clause] | None = None) -> dict[ClauseId, str]:
    """The clauses that the recorded turns of a case break, whatever the case was about.

    That a recorded turn breaks nothing is not shown as proof: most clauses are about something that did not
    happen in it.

    Args:
        traces: the turns.
        clauses: what to check; by default, the contract.

    Returns:
        How each clause is broken that is.
    """
    from finalturn.contract import CLAUSES, Undecidable

    clauses = CLAUSES if clauses is None else tuple(clauses)
    broken: dict[ClauseId, str] = {}
    for trace in traces:
        for clause in clauses:
            if clause.check is None:
                continue
            try:
                violations = list(clause.check(trace))
            except Undecidable:
                continue
            if violations:
                violation = violations[0]
                broken[clause.id] = (
                    f"record {violation.record} of a recorded turn: expected {violation.expected}"
                )
    return broken
