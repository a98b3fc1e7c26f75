"""What a clause of the contract is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from finalturn._contract.traces.trace import Check
from finalturn._core.clauses import ClauseId
from finalturn.stability import NEXT, Level, beta, stable

__all__ = ["Clause", "Deprecation", "Family", "Surface"]


@stable(since="0.1.0", fields={"HTTP": stable(since=NEXT)})
class Surface(StrEnum):
    """A way in which a turn reaches someone.

    Attributes:
        CHUNKS: the chunk stream of ``stream`` and ``astream``.
        TOKENS: the callback of ``run`` and ``arun``.
        RESULT: the terminal result, or the exception.
        HISTORY: the messages that are saved.
        REQUEST: what a provider is sent.
        HTTP: what a client of a served agent gets: a stream of any format, or the whole answer.
    """

    CHUNKS = "chunks"
    TOKENS = "tokens"
    RESULT = "result"
    HISTORY = "history"
    REQUEST = "request"
    HTTP = "http"


@stable(since="0.1.0", fields={"SERVING": stable(since=NEXT)})
class Family(StrEnum):
    """The chapters of the contract.

    Attributes:
        STREAMING: what streams, and what does not.
        FINALIZE: when ``should_finalize`` is asked, and what it sees.
        MESSAGES: messages and history.
        OUTCOME: how a turn comes out.
        LIFECYCLE: a turn's life: closing it, running many, counting tokens, failing.
        SERVING: what a server keeps beside the turn: whole records, who may see what, coming back.
    """

    STREAMING = "streaming"
    FINALIZE = "should_finalize"
    MESSAGES = "messages"
    OUTCOME = "outcome"
    LIFECYCLE = "lifecycle"
    SERVING = "serving"


@stable(since="0.1.0")
@dataclass(frozen=True, slots=True)
class Deprecation:
    """A clause that will go.

    Attributes:
        since: the version that said so, or ``NEXT``.
        removal: the major version that will no longer promise it, such as ``"2.0.0"``.
        use: the clause, equally stable, that takes its place; ``None`` when nothing does.
    """

    since: str
    removal: str
    use: ClauseId | None = None


@stable(since="0.1.0", fields={"check": beta(since="0.1.0")})
@dataclass(frozen=True, slots=True)
class Clause:
    """One promise.

    Attributes:
        id: permanent, kebab-case.
        family: its chapter.
        since: the version that first made it, or ``NEXT``.
        stability: how long it will be kept.
        surfaces: where it can be observed.
        statement: the promise, with exactly one MUST, MUST NOT or MAY.
        why: what goes wrong for someone without it.
        about: the public objects that it speaks of; one that needs an extra is named by its dotted path.
        kept_by: the modules that keep it, where no rule of the turn's table alone does; dotted names.
        check: decides it for a recorded turn; ``None`` where a recording cannot decide.
        revised: the version that last changed what the statement says, or ``NEXT``; ``None`` when
            it says what it always said.
        deprecation: when it will go; ``None`` when it stays.
    """

    id: ClauseId
    family: Family
    since: str
    stability: Level
    surfaces: frozenset[Surface]
    statement: str
    why: str
    about: tuple[object, ...] = ()
    kept_by: tuple[str, ...] = ()
    check: Check | None = None
    revised: str | None = None
    deprecation: Deprecation | None = None

    def __str__(self) -> str:
        return self.id
