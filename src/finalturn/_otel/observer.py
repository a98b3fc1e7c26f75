"""The observer that traces turns with OpenTelemetry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from finalturn._core.errors import ConfigurationError
from finalturn._core.observers import ObservedTurn, TurnWatch
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

__all__ = ["SURROUNDINGS", "OpenTelemetryObserver", "Surroundings", "has_opentelemetry"]


class Surroundings(NamedTuple):
    """What code around a turn has to say of it.

    Attributes:
        attributes: more attributes of the turn's span.
        error_type: its ``error.type``, by what the turn failed with; by ``None`` when it was left early.
    """

    attributes: Mapping[str, str]
    error_type: Callable[[BaseException | None], str]


SURROUNDINGS: ContextVar[Surroundings | None] = ContextVar("finalturn_surroundings", default=None)
"""Read where a turn begins."""


@beta(since=NEXT)
class OpenTelemetryObserver:
    """A `TurnObserver` that traces turns. Give it to ``Agent(observers=[...])``.

    A turn is an ``invoke_agent`` span, with a ``chat`` span for each model call and an ``execute_tool`` span
    for each tool call. What a provider or a tool does with instrumented libraries is inside its span. Names
    and attributes are those of OpenTelemetry's conventions for generative AI, which are still in development,
    and may change with them. No span holds anything that was said.

    An agent that is served has such spans without it.

    Args:
        tracer_provider: where spans go; by default OpenTelemetry's global one.

    Raises:
        ConfigurationError: OpenTelemetry's API is not installed.
    """

    @known_keywords("OpenTelemetryObserver")
    def __init__(self, *, tracer_provider: TracerProvider | None = None) -> None:
        if not has_opentelemetry():
            raise ConfigurationError(
                "OpenTelemetryObserver needs opentelemetry-api, which is not installed:"
                " pip install finalturn[otel]"
            )
        self._tracer_provider = tracer_provider

    def observe(self, turn: ObservedTurn, /) -> TurnWatch:
        """Trace a turn that begins.

        Args:
            turn: the turn.
        """
        from opentelemetry import trace

        from finalturn import __version__
        from finalturn._otel.turn import TurnSpans

        # Asked for anew for each turn: the global provider may be set late.
        tracer = trace.get_tracer("finalturn", __version__, self._tracer_provider)
        return TurnSpans(tracer, turn, SURROUNDINGS.get())


def has_opentelemetry() -> bool:
    """Whether OpenTelemetry's API is installed."""
    try:
        return find_spec("opentelemetry.trace") is not None
    except ModuleNotFoundError:
        return False
