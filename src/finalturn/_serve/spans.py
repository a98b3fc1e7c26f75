"""OpenTelemetry spans of served turns, where its API is installed. Without it, nothing happens here.

They are those of ``finalturn.otel``. The turn's span says beside which run it is, and why it failed in the
words that a client is told.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from finalturn._agent import Agent
from finalturn._agent.agent import spec_of, with_observer
from finalturn._otel.observer import SURROUNDINGS, OpenTelemetryObserver, Surroundings, has_opentelemetry
from finalturn._serve.problems.failure import Failure, failure_of

__all__ = ["run_surroundings", "traced"]

T = TypeVar("T")


def traced(agent: Agent[T]) -> Agent[T]:
    """The same agent, whose turns have spans. One that traces them itself goes on to."""
    traces = any(isinstance(observer, OpenTelemetryObserver) for observer in spec_of(agent).observers)
    if traces or not has_opentelemetry():
        return agent
    return with_observer(agent, OpenTelemetryObserver())


@contextmanager
def run_surroundings(run_id: str, format: str, why_left: Callable[[], Failure]) -> Generator[None]:
    """Say of the turn that begins in here which run it is.

    Args:
        run_id: the id of the run.
        format: its stream format.
        why_left: gives the failure of a turn that was left early.
    """

    def error_type(error: BaseException | None) -> str:
        return (why_left() if error is None else failure_of(error)).code

    attributes = {"finalturn.run.id": run_id, "finalturn.format": format}
    token = SURROUNDINGS.set(Surroundings(attributes, error_type))
    try:
        yield
    finally:
        SURROUNDINGS.reset(token)
