"""`ServeConfig`: the limits of a server."""

from __future__ import annotations

from dataclasses import dataclass, fields

from finalturn._core.errors import ConfigurationError
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta

__all__ = ["ServeConfig"]

_MAY_BE_ZERO = frozenset({"busy_timeout", "resume_for", "drain_timeout"})


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Limits of a server. Sizes are in bytes and times in seconds.

    Attributes:
        max_body: the largest request body; a larger one is 413.
        max_messages: the most messages that one request may bring; more are 422. What a client sends of a
            session that the server has already does not count.
        max_session_messages: a session with as many messages takes no further turn (409).
        max_runs: the most turns at the same time, the ended ones that can still be resumed included; one more
            is 503.
        max_connections: the most connections at the same time; one more is 503, unless another one that has
            asked nothing for a while can make room. ``finalturn serve`` takes no more than half of the files
            that the process may have open.
        buffer: how much of one run is kept for a client that reads slowly, or comes back. When it is full,
            the turn waits.
        heartbeat: after so long without a record, a comment is sent, so that nobody on the way takes the
            connection for dead.
        request_timeout: how long a client may take to send a request, head and body, to ``finalturn serve``;
            then it is 408.
        stall_timeout: a client that has taken nothing of an answer for so long is taken for gone.
        busy_timeout: how long a request waits for another turn of its session to end, before it is refused.
            So a message can follow at once when a turn was stopped.
        resume_for: how long a turn goes on, and its records are kept, without a client. With 0, a turn stops
            as soon as its client is gone, and cannot be resumed.
        drain_timeout: how long running turns may go on when the server is stopped.

    Raises:
        ConfigurationError: one of them is not a number, is negative, or is 0 where that makes no sense.

    Contract:
        - `resume-is-exact` (beta): A client that comes back to a run MUST get exactly the records after the
          last one that it has, none missing and none twice, or an answer that says that they are not kept any
          more.
    """

    max_body: int = 1024 * 1024
    max_messages: int = 500
    max_session_messages: int = 10_000
    max_runs: int = 1_000
    max_connections: int = 10_000
    buffer: int = 1024 * 1024
    heartbeat: float = 15.0
    request_timeout: float = 30.0
    stall_timeout: float = 60.0
    busy_timeout: float = 2.0
    resume_for: float = 0.0
    drain_timeout: float = 30.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value: object = getattr(self, field.name)
            whole = field.type == "int"
            if not isinstance(value, int if whole else (int, float)) or isinstance(value, bool):
                expected = "a whole number" if whole else "a number"
                raise ConfigurationError(f"ServeConfig.{field.name} must be {expected}, not {value!r}")
            may_be_zero = field.name in _MAY_BE_ZERO
            if not (value > 0 or (value == 0 and may_be_zero)):
                expected = "0 or more" if may_be_zero else "greater than 0"
                raise ConfigurationError(f"ServeConfig.{field.name} must be {expected}, not {value!r}")
