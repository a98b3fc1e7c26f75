"""The types of the JSON documents that requests are answered with."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from finalturn._serve.formats.schemas import Count, Message, Result
from finalturn._serve.problems.failure import FailureCode

__all__ = [
    "ChatAnswer",
    "FieldProblem",
    "Health",
    "Liveness",
    "ProblemDocument",
    "SessionDocument",
    "SessionEntry",
    "SessionPage",
]


class FieldProblem(TypedDict):
    """A field that is wrong."""

    field: Annotated[
        str,
        Field(description="A JSON Pointer (RFC 6901) into the body, or the name of a parameter or header."),
    ]
    problem: Annotated[str, Field(description="What is wrong with it.")]


class ProblemDocument(TypedDict):
    """Why a request failed (RFC 9457)."""

    type: Annotated[Literal["about:blank"], Field(description="Programs read code.")]
    title: Annotated[str, Field(description="The status in words.")]
    status: Annotated[int, Field(ge=400, le=599, description="The HTTP status.")]
    detail: Annotated[str, Field(description="What is wrong, for people.")]
    code: Annotated[FailureCode, Field(description="What is wrong, for programs.")]
    retryable: Annotated[bool, Field(description="Whether the same request may succeed later.")]
    errors: NotRequired[
        Annotated[list[FieldProblem], Field(min_length=1, description="The fields that are wrong.")]
    ]


class Health(TypedDict):
    """Whether a turn can be taken now."""

    status: Annotated[
        Literal["ok", "draining", "session_unavailable"],
        Field(
            description="`draining`: the server is shutting down. `session_unavailable`: what keeps the"
            " sessions does not answer."
        ),
    ]


class Liveness(TypedDict):
    """That the process lives."""

    status: Annotated[Literal["ok"], Field(description="It does.")]


class ChatAnswer(TypedDict):
    """A turn that ended in a result."""

    run_id: str
    session: Annotated[str | None, Field(description="The session that the turn was saved to, if any.")]
    result: Result


class SessionEntry(TypedDict):
    """A session."""

    session: Annotated[str, Field(description="Its id.")]
    version: Annotated[int, Field(ge=1, description="How many turns were saved to it.")]
    updated: Annotated[
        str,
        Field(description="When the last of them was: RFC 3339.", json_schema_extra={"format": "date-time"}),
    ]


class SessionPage(TypedDict):
    """Sessions, ordered by id."""

    sessions: list[SessionEntry]
    next: Annotated[
        str | None,
        Field(description="Give it as `after`, for those that follow; null when there are no more."),
    ]


class SessionDocument(TypedDict):
    """A conversation."""

    session: Annotated[str, Field(description="Its id.")]
    version: Annotated[Count, Field(description="How many turns were saved to it.")]
    messages: Annotated[list[Message], Field(description="The oldest first.")]
