"""`ServedTurn` and `AsyncServedTurn`: a served turn, record by record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from finalturn._providers.http.transport_failures import transport_error
from finalturn._serve.formats.schemas_records import NativeRecord
from finalturn._testing.turn_client.reading import Reading, ServedResult
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    import httpx2

__all__ = ["AsyncServedTurn", "ServedTurn"]

T = TypeVar("T")


@beta(since=NEXT)
class ServedTurn(Generic[T]):
    """A served turn, as an iterator of its records. `TurnClient.stream` makes it.

    Each is a dictionary of the native format: its ``type`` tells type checkers what else is in it. The last
    is a ``result`` or an ``error``. A record of a kind that this version does not know is passed over, and
    kept in ``unknown``. When the connection is lost, it comes back for what is missing.
    """

    def __init__(self, reading: Reading[T], client: httpx2.Client) -> None:
        self._reading = reading
        self._client = client
        self._response: httpx2.Response | None = None
        self._body: Iterator[bytes] | None = None

    @property
    def run_id(self) -> str | None:
        """The turn's id; ``None`` before its first record."""
        return self._reading.run_id

    @property
    def unknown(self) -> tuple[Mapping[str, Any], ...]:
        """The records so far of kinds that this version does not know."""
        return tuple(self._reading.unknown)

    @property
    def result(self) -> ServedResult[T]:
        """What the turn has ended with, once it was read to its end.

        Raises:
            TurnProblem: the turn has failed.
            StreamError: it was not read to its end.
            StructuredOutputError: the object does not match the ``response_format``.
        """
        return self._reading.result()

    def __enter__(self) -> ServedTurn[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lose_connection()

    def __iter__(self) -> Iterator[NativeRecord]:
        return self

    def __next__(self) -> NativeRecord:
        reading = self._reading
        while True:
            record = reading.take()
            if record is not None:
                return record
            if reading.ended:
                self.lose_connection()
                raise StopIteration
            try:
                if self._body is None:
                    self._connect()
                    continue
                data = next(self._body, None)
            except Exception as error:
                self.lose_connection()
                _check_lost(reading, error)
                continue
            if data is None:
                self.lose_connection()
                reading.lost(None)
            else:
                reading.feed(data)

    def lose_connection(self) -> None:
        """Close the connection, as a network does. Whoever reads on comes back with Last-Event-ID."""
        response, self._response, self._body = self._response, None, None
        if response is not None:
            response.close()

    def _connect(self) -> None:
        ask = self._reading.ask()
        request = self._client.build_request(
            ask.method, ask.path, params=ask.params, headers=ask.headers, json=ask.body
        )
        response = self._client.send(request, stream=True)
        if response.status_code >= 400:
            body = response.read()
            self._reading.refused(response.status_code, body)
            return
        self._response, self._body = response, response.iter_bytes()


@beta(since=NEXT)
class AsyncServedTurn(Generic[T]):
    """A served turn, as an asynchronous iterator of its records. `AsyncTurnClient.stream` makes it.

    See `ServedTurn`.
    """

    def __init__(self, reading: Reading[T], client: httpx2.AsyncClient) -> None:
        self._reading = reading
        self._client = client
        self._response: httpx2.Response | None = None
        self._body: AsyncIterator[bytes] | None = None

    @property
    def run_id(self) -> str | None:
        """The turn's id; ``None`` before its first record."""
        return self._reading.run_id

    @property
    def unknown(self) -> tuple[Mapping[str, Any], ...]:
        """The records so far of kinds that this version does not know."""
        return tuple(self._reading.unknown)

    @property
    def result(self) -> ServedResult[T]:
        """What the turn has ended with, once it was read to its end.

        Raises:
            TurnProblem: the turn has failed.
            StreamError: it was not read to its end.
            StructuredOutputError: the object does not match the ``response_format``.
        """
        return self._reading.result()

    async def __aenter__(self) -> AsyncServedTurn[T]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.lose_connection()

    def __aiter__(self) -> AsyncIterator[NativeRecord]:
        return self

    async def __anext__(self) -> NativeRecord:
        reading = self._reading
        while True:
            record = reading.take()
            if record is not None:
                return record
            if reading.ended:
                await self.lose_connection()
                raise StopAsyncIteration
            try:
                if self._body is None:
                    await self._connect()
                    continue
                data = await anext(self._body, None)
            except Exception as error:
                await self.lose_connection()
                _check_lost(reading, error)
                continue
            if data is None:
                await self.lose_connection()
                reading.lost(None)
            else:
                reading.feed(data)

    async def lose_connection(self) -> None:
        """Close the connection, as a network does. Whoever reads on comes back with Last-Event-ID."""
        response, self._response, self._body = self._response, None, None
        if response is not None:
            await response.aclose()

    async def _connect(self) -> None:
        ask = self._reading.ask()
        request = self._client.build_request(
            ask.method, ask.path, params=ask.params, headers=ask.headers, json=ask.body
        )
        response = await self._client.send(request, stream=True)
        if response.status_code >= 400:
            body = await response.aread()
            self._reading.refused(response.status_code, body)
            return
        self._response, self._body = response, response.aiter_bytes()


def _check_lost(reading: Reading[Any], error: Exception) -> None:
    """Go on only after what a network does."""
    if transport_error(error) is None:
        raise error
    reading.lost(error)
