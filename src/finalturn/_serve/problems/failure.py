"""`Failure`: every way in which a request or a turn can fail, with its code and the words for a client.

The words are ours alone: nothing that an exception says goes to a client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from finalturn._core.errors import (
    ProviderError,
    SessionConflictError,
    SessionDamagedError,
    SessionError,
    SessionTimeoutError,
)
from finalturn._providers.scripted.script import ScriptError
from finalturn.stability import NEXT, beta

__all__ = ["STATUS", "Failure", "FailureCode", "failure_of"]

FailureCode: TypeAlias = Literal[
    "malformed_request",
    "unauthorized",
    "forbidden_origin",
    "refused",
    "not_found",
    "method_not_allowed",
    "session_busy",
    "session_conflict",
    "session_full",
    "records_gone",
    "body_too_large",
    "unsupported_media_type",
    "invalid_request",
    "internal_error",
    "provider_failed",
    "script_over",
    "overloaded",
    "shutting_down",
    "stopped",
    "session_unavailable",
    "session_damaged",
]
"""Why a request or a turn failed.

``"malformed_request"`` (400): the body is not JSON, or an id is malformed. ``"unauthorized"`` (401): no valid
key. ``"forbidden_origin"`` (403): another web page sent it. ``"refused"`` (403, or as the application says):
the application does not let the turn run. ``"not_found"`` (404). ``"method_not_allowed"`` (405).
``"session_busy"`` (409): a turn of the session is still running. ``"session_conflict"`` (409): another turn
was saved meanwhile. ``"session_full"`` (409). ``"records_gone"`` (410): what is asked for is not kept any
more. ``"body_too_large"`` (413). ``"unsupported_media_type"`` (415): it is no JSON. ``"invalid_request"``
(422): a field is wrong. ``"internal_error"`` (500). ``"provider_failed"`` (502): the model. ``"script_over"``
(502): the script that stands in for a model holds no further answer. ``"overloaded"`` (503): too many turns
or readers. ``"shutting_down"`` (503). ``"stopped"`` (503): the turn was stopped.
``"session_unavailable"`` (503): the session could not be read or saved. ``"session_damaged"`` (500): what is
stored of the session cannot be read, now or later.
"""
beta(since=NEXT).constant(__name__, "FailureCode")

STATUS: dict[FailureCode, int] = {
    "malformed_request": 400,
    "unauthorized": 401,
    "forbidden_origin": 403,
    "refused": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "session_busy": 409,
    "session_conflict": 409,
    "session_full": 409,
    "records_gone": 410,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "invalid_request": 422,
    "internal_error": 500,
    "provider_failed": 502,
    "script_over": 502,
    "overloaded": 503,
    "shutting_down": 503,
    "stopped": 503,
    "session_unavailable": 503,
    "session_damaged": 500,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a turn failed.

    Attributes:
        code: for programs.
        message: for people; it holds nothing of what failed.
        retryable: whether the same turn may succeed later.
    """

    code: FailureCode
    message: str
    retryable: bool = False


SESSION_BUSY = Failure("session_busy", "Another turn of this session is still running.", retryable=True)
SESSION_FULL = Failure("session_full", "This session takes no further turn. Start another.")
OVERLOADED = Failure("overloaded", "The server is busy. Try again in a moment.", retryable=True)
TOO_MANY_READERS = Failure("overloaded", "As many clients as may read this turn do so.", retryable=True)
SHUTTING_DOWN = Failure(
    "shutting_down", "The server is shutting down. Try again in a moment.", retryable=True
)
STOPPED = Failure("stopped", "The turn was stopped.")
RECORDS_GONE = Failure("records_gone", "Some of the records that are missing are not kept any more.")
SESSION_DAMAGED = Failure("session_damaged", "This session cannot be read any more. Start another.")
LIST_DAMAGED = Failure(
    "session_damaged", "One of the sessions cannot be read, and so they cannot be listed. The log says which."
)
SAVE_UNCONFIRMED = Failure(
    "session_unavailable",
    "It is not known whether this turn was saved. Load the session before you send it again.",
)
NOT_AGAIN = Failure(
    "records_gone",
    "No turn that this request could go on with is kept. Without Last-Event-ID, it begins a new one.",
)
SCRIPT_OVER = Failure(
    "script_over",
    "The script that stands in for a model is over. Start the server again to play it once more.",
)
NOT_FOUND = Failure("not_found", "There is nothing here.")


class ProcessEnds(BaseException):
    """The process is to end, and what this is raised in holds it up."""


class SessionFullError(SessionError):
    """A session has reached the limit of the server."""


def failure_of(error: BaseException) -> Failure:
    """What a client is told about an exception of a turn."""
    match error:
        case ProviderError(retryable=retryable):
            return Failure("provider_failed", "The model could not answer.", retryable)
        case ScriptError():
            return SCRIPT_OVER
        case SessionFullError():
            return SESSION_FULL
        case SessionConflictError():
            message = "Another turn was saved to this session meanwhile. Load it again, and repeat the turn."
            return Failure("session_conflict", message, retryable=True)
        case SessionDamagedError():
            return SESSION_DAMAGED
        case SessionTimeoutError(result=result) if result is not None:
            # Another try would save it twice, if it was saved.
            return SAVE_UNCONFIRMED
        case SessionError():
            return Failure("session_unavailable", "The session could not be read or saved.", retryable=True)
        case ProcessEnds():
            return SHUTTING_DOWN
        case _:
            return Failure("internal_error", "Something went wrong on the server.")
