"""The reading of one served turn, without I/O: what to ask, and what the answer's bytes say."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, cast, get_args, get_type_hints

from finalturn._core.errors import FinalturnError, StreamClosedError, StreamError, StructuredOutputError
from finalturn._core.output import Output, Rejection
from finalturn._core.result import Usage
from finalturn._core.type_guards import is_array, is_dict
from finalturn._providers.answers.sse import SSEReader
from finalturn._serve.formats.schemas_records import NativeRecord, ResultRecord
from finalturn.stability import NEXT, beta

__all__ = ["Ask", "Reading", "ServedResult", "TurnProblem"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_LARGEST_EVENT = 64 * 1024 * 1024
# How many connections in a row may bring no record, once the turn has begun.
_MOST_CONNECTIONS = 5


def _kinds() -> frozenset[str]:
    (union, *_) = get_args(NativeRecord.__value__)
    return frozenset(get_args(get_type_hints(kind)["type"])[0] for kind in get_args(union))


KINDS: Final = _kinds()
"""The types of the records that this version knows."""


@beta(since=NEXT)
class TurnProblem(FinalturnError):
    """A server has refused a request, or a turn has failed on it.

    Attributes:
        status: the HTTP status; ``None`` where the turn had begun, and its ``error`` record says so.
        code: why, such as ``"invalid_request"``: a ``FailureCode`` of a server of this version; ``None``
            when the answer is no problem document.
        detail: the same in words.
        retryable: whether the same may succeed later.
        errors: the fields that are wrong, each with what is wrong with it.
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retryable: bool = False,
        errors: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(f"{detail} ({', '.join(str(part) for part in (status, code) if part is not None)})")
        self.status = status
        self.code = code
        self.detail = detail
        self.retryable = retryable
        self.errors = errors


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ServedResult(Generic[T_co]):
    """What a served turn has ended with.

    Attributes:
        record: the ``result`` record, with everything that the server says of it.
        parsed: the object, of the ``response_format`` that the call was given, or else as plain JSON;
            ``None`` unless the record's ``structured_status`` is ``"ok"``.
        usage: its tokens.
    """

    record: ResultRecord
    parsed: T_co | None
    usage: Usage

    @property
    def text(self) -> str:
        """All that was shown, joined."""
        return self.record["text"]

    def unwrap(self) -> T_co:
        """The object.

        Raises:
            StructuredOutputError: there is none; it says why.
        """
        if self.record["structured_status"] != "ok":
            reason = (
                self.record["structured_error"] or f"the turn stopped with {self.record['stop_reason']!r}"
            )
            raise StructuredOutputError(
                f"no structured answer ({self.record['structured_status']}): {reason}"
            )
        return self.parsed  # type: ignore[return-value]  # a schema may admit null: the status decides


@dataclass(frozen=True, slots=True)
class Ask:
    """A request."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None


class Reading(Generic[T]):
    """One turn as it is read, over however many connections.

    Args:
        input: what the user says.
        session: of the turn.
        headers: of every request.
        prefix: of every path.
        output: what the object is to be.

    Attributes:
        unknown: the records of kinds that this version does not know.
        ended: the last record was read from the connection.
    """

    def __init__(
        self,
        input: str | Sequence[Mapping[str, Any]],
        session: str | None,
        headers: Mapping[str, str],
        prefix: str,
        output: Output[T] | None,
    ) -> None:
        self._body: dict[str, Any] = {"input": input if isinstance(input, str) else list(input)}
        if session is not None:
            self._body["session"] = session
        self._session = session
        self._headers = headers
        self._path = f"{prefix}/v1/chat/stream"
        self._output = output
        self._events = SSEReader(_LARGEST_EVENT)
        self._waiting: deque[NativeRecord] = deque()
        self._count = self._fruitless = 0
        self._last: Mapping[str, Any] | None = None
        self.run_id: str | None = None
        self.unknown: list[Mapping[str, Any]] = []
        self.ended: bool = False

    def ask(self) -> Ask:
        """The request of the next connection: it begins the turn, or goes on after the last record."""
        self._events = SSEReader(_LARGEST_EVENT)
        if self.run_id is None:
            return Ask("POST", self._path, {}, self._headers, self._body)
        params = {} if self._session is None else {"session": self._session}
        headers = {**self._headers, "Last-Event-ID": str(self._count)}
        return Ask("GET", f"{self._path}/{self.run_id}", params, headers, None)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the answer."""
        for _, event in self._events.feed(data):
            record: dict[str, Any] = json.loads(event)
            self._count += 1
            self._fruitless = 0
            kind = record.get("type")
            if kind == "run":
                self.run_id = record["run_id"]
            if kind in KINDS:
                self._waiting.append(cast("NativeRecord", record))
            else:
                self.unknown.append(record)
            if kind in ("result", "error"):
                self._last, self.ended = record, True

    def take(self) -> NativeRecord | None:
        """The next record that has arrived; ``None`` when none has."""
        return self._waiting.popleft() if self._waiting else None

    def lost(self, error: Exception | None) -> None:
        """The connection is gone before the turn's end. Returns when another is to be made.

        Args:
            error: why; ``None`` when the answer just ended.

        Raises:
            Exception: the error, or a `StreamClosedError`: the turn had not begun, or it was tried enough.
        """
        self._fruitless += 1
        if self.run_id is None or self._fruitless >= _MOST_CONNECTIONS:
            raise error or StreamClosedError("the server's answer ended before its turn did")

    def refused(self, status: int, body: bytes) -> None:
        """The answer is none that holds records. Returns when it is to be asked again.

        Raises:
            TurnProblem: what the server says.
        """
        problem = _problem(status, body)
        if status < 500:
            raise problem
        self.lost(problem)

    def result(self) -> ServedResult[T]:
        """What the turn has ended with.

        Raises:
            TurnProblem: it has failed.
            StreamError: it was not read to its end.
            StructuredOutputError: the object does not match the ``response_format``.
        """
        if self._last is None or self._waiting:
            raise StreamError("there is no result yet: the turn was not read to its end")
        if self._last["type"] == "error":
            raise TurnProblem(
                self._last["message"], code=self._last["code"], retryable=self._last["retryable"]
            )
        record = cast("ResultRecord", self._last)
        known = Usage.__dataclass_fields__
        usage = Usage(**{name: count for name, count in record["usage"].items() if name in known})  # type: ignore[arg-type]
        return ServedResult(record, self._parsed(record), usage)

    def _parsed(self, record: ResultRecord) -> T | None:
        if record["structured_status"] != "ok" or self._output is None:
            return cast("T | None", record["parsed"])
        answer = self._output.validate(record["content"])
        if isinstance(answer, Rejection):
            raise StructuredOutputError(f"the object is not of the response_format given: {answer.reason}")
        return answer.value


def _problem(status: int, body: bytes) -> TurnProblem:
    try:
        document: object = json.loads(body)
    except ValueError:
        document = None
    if not is_dict(document) or "detail" not in document or "code" not in document:
        return TurnProblem("the server refused the request, without a problem document", status=status)
    listed: object = document.get("errors")
    return TurnProblem(
        str(document["detail"]),
        status=status,
        code=str(document["code"]),
        retryable=document.get("retryable") is True,
        errors=tuple(
            (str(one.get("field")), str(one.get("problem")))
            for one in (listed if is_array(listed) else ())
            if is_dict(one)
        ),
    )
