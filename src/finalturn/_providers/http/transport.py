"""Makes one model call over HTTP: send, read, and retry as long as no event has been given out."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from types import AsyncGeneratorType
from typing import NamedTuple, Protocol, TypeAlias, cast

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelEvent
from finalturn._providers.answers.ending import Ending
from finalturn._providers.errors.failures import RefusedError, http_error
from finalturn._providers.http.client import Clients, HttpResponse, timeouts
from finalturn._providers.http.peer import peer_of
from finalturn._support.logger import logger

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
# A provider that wants a longer pause than this is not waited for: the caller hears of it instead.
LONGEST_WAIT = 60.0

# Of the body of an error: its bytes, and the seconds that each piece of it may take.
MAX_ERROR_BODY = 64 * 1024
ERROR_BODY_WAIT = 5.0

# What it is called when a server closes an idle connection just as it is used again. A new one will do.
_HUNG_UP = frozenset({"RemoteProtocolError", "ReadError", "WriteError"})

_Generator: TypeAlias = AsyncGeneratorType[object, object]


class Decoder(Protocol):
    """Bytes of one answer in, model events out."""

    @property
    def done(self) -> bool:
        """Nothing more is to be read: the answer has failed."""
        ...

    @property
    def steady(self) -> bool:
        """The answer is under way, and no event of it is large: nothing else need be looked at."""
        ...

    @property
    def large(self) -> bool:
        """The event that was given last is a part of a large one."""
        ...

    @property
    def ending(self) -> Ending:
        """What has been said of the answer's end."""
        ...

    @property
    def failure(self) -> ProviderError | None:
        """To be raised once the events before it are dealt with."""
        ...

    def events(self, chunk: bytes, /) -> Iterable[ModelEvent]:
        """Take the next bytes, and give the events that they complete. They are taken up one by one."""
        ...

    def close(self) -> list[ModelEvent]:
        """The body has ended; the last events."""
        ...


class Call(NamedTuple):
    """What to send, and how to read what comes back.

    Attributes:
        secret: the key, which is taken out of whatever a failed answer says.
        instead: another call to make after this failure, at once; ``None`` when there is none.
        fresh: gives the call as one attempt sends it, such as with a signature that holds the time;
            ``None`` where every attempt sends the same.
        code: the vendor's code of an error from the headers of a failed answer, or ``None``; one that
            stands in its body comes first.
    """

    url: str
    headers: dict[str, str]
    body: bytes
    secret: str | None
    decoder: Callable[[], Decoder]
    instead: Callable[[ProviderError], Call | None] = lambda failure: None
    fresh: Callable[[], Awaitable[Call]] | None = None
    code: Callable[[Mapping[str, str]], str | None] = lambda headers: None


class Transport:
    """Sends calls.

    Args:
        clients: where to send them.
        max_retries: how often to ask again after a failure that may pass, as long as nothing has been
            given out.
        connect_timeout: seconds, or ``None`` for the client's.
        read_timeout: seconds that the server may be silent, or ``None`` for the client's.
    """

    def __init__(
        self, clients: Clients, *, max_retries: int, connect_timeout: float | None, read_timeout: float | None
    ) -> None:
        self.clients = clients
        self._max_retries = max_retries
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout

    async def events(self, call: Call) -> AsyncGenerator[ModelEvent, None]:
        """The answer's events. Closing the generator frees the connection at once.

        Raises:
            ProviderError: the provider could not be reached, refused, or broke off.
        """
        attempt = 0
        while True:
            has_yielded = False
            body = _Body()
            decoder = call.decoder()
            try:
                await self._open(call, body)
                # As long as nothing is out of the ordinary it is read as it comes, with no call in between.
                async for chunk in body.chunks:
                    for event in decoder.events(chunk):
                        has_yielded = True
                        yield event
                    if not decoder.steady:
                        break
                while not decoder.done:
                    more = await body.read_on(decoder.ending)
                    if more is None:
                        break
                    for event in decoder.events(more):
                        has_yielded = True
                        yield event
                        if decoder.large:
                            await _let_others()
                for event in decoder.close():
                    has_yielded = True
                    yield event
                if decoder.failure is None:
                    return
                failure = decoder.failure
            except Exception as error:
                known = (
                    error
                    if isinstance(error, ProviderError)
                    else await self._transport_failure(error, call.url)
                )
                if known is None:
                    raise
                failure = known
            finally:
                await body.aclose()
            if isinstance(failure, RefusedError):
                # A safety filter ends an answer as it would, had the model said so itself.
                yield ModelEnd("refusal", failure.usage)
                return
            if has_yielded:
                raise failure
            other = call.instead(failure)
            if other is not None:
                call = other
                continue
            attempt += 1
            delay = retry_delay(attempt, failure.retry_after, first=FIRST_DELAY)
            if not failure.retryable or attempt > self._max_retries or delay is None:
                raise failure
            if attempt == 1 and body.headers is None and failure.detail in _HUNG_UP:
                delay = 0.0
            await _pause(delay, failure)

    async def _open(self, call: Call, body: _Body) -> None:
        if call.fresh is not None:
            call = await call.fresh()
        client = await self.clients.get()
        limits = timeouts(client, self._connect_timeout, self._read_timeout)
        request = client.build_request(
            "POST", call.url, content=call.body, headers=call.headers, timeout=limits
        )
        response: HttpResponse = await client.send(request, stream=True)
        body.open(response)
        if not 200 <= response.status_code < 300:
            start = await body.start(MAX_ERROR_BODY)
            raise http_error(
                response.status_code,
                start,
                secret=call.secret,
                headers=response.headers,
                name=call.code(response.headers),
            )

    async def _transport_failure(self, error: Exception, url: str) -> ProviderError | None:
        """An exception of the client, with whom it was about; ``None`` for any other."""
        from finalturn._providers.http.transport_failures import transport_error

        if transport_error(error) is None:
            return None
        from finalturn._providers.http.proxies import proxy_for

        return transport_error(error, server=peer_of(url), proxy=proxy_for(await self.clients.get(), url))


class _Body:
    """The body of an answer, once there is one."""

    def __init__(self) -> None:
        self.headers: Mapping[str, str] | None = None
        self._response: HttpResponse | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        # Since when the end is waited for, and how much of the answer there was then.
        self._since = 0.0
        self._place: tuple[int, bool] | None = None

    @property
    def chunks(self) -> AsyncIterator[bytes]:
        """What has not been read."""
        assert self._chunks is not None, "a body is read once it is open"
        return self._chunks

    def open(self, response: HttpResponse) -> None:
        self._response = response
        self.headers = response.headers
        # What is not compressed need not go through a decoder, piece by piece.
        plain = response.headers.get("content-encoding", "identity") == "identity"
        raw = plain and not response.is_stream_consumed
        self._chunks = response.aiter_raw() if raw else response.aiter_bytes()

    async def read(self) -> bytes | None:
        """The next bytes; ``None`` at the end."""
        return await anext(self.chunks, None)

    async def read_soon(self, seconds: float) -> bytes | None:
        """The next bytes, if they come in time and unharmed."""
        from anyio import move_on_after

        with move_on_after(seconds):
            try:
                return await self.read()
            except Exception as error:
                from finalturn._providers.http.transport_failures import transport_error

                if transport_error(error) is None:
                    raise
        return None

    async def read_on(self, ending: Ending) -> bytes | None:
        """The next bytes, as long as they may come; ``None`` when nothing more is to be waited for.

        Args:
            ending: what has been said of the answer's end.

        Raises:
            Exception: what the HTTP client raises, where the answer is not over.
        """
        from anyio import current_time

        if ending.patience is None:
            try:
                return await self.read()
            except Exception as error:
                if ending.settled and _timed_out(error):
                    return None
                raise
        place = (ending.heard, ending.closed)
        if place != self._place:
            self._place, self._since = place, current_time()
        return await self.read_soon(self._since + ending.patience - current_time())

    async def start(self, size: int) -> bytes:
        """About as many bytes from the start, without waiting for them long."""
        chunks: list[bytes] = []
        while size > 0 and (chunk := await self.read_soon(ERROR_BODY_WAIT)):
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)

    async def aclose(self) -> None:
        """Free the connection."""
        if self._chunks is not None:
            for generator in _chain(self._chunks):
                # An event loop that ends closes all generators at once: this one may be at it already.
                with suppress(RuntimeError):
                    await generator.aclose()
        if self._response is not None:
            await self._response.aclose()


def _chain(chunks: object) -> list[_Generator]:
    """An asynchronous generator, and those that it iterates over, from the outside in.

    HTTP clients read a body through a chain of generators, and closing the outermost does not close them
    all. One that is left to the garbage collector is closed late, and trio warns of it.
    """
    generators: list[_Generator] = []
    pending: list[object] = [chunks]
    while pending:
        item = pending.pop()
        if isinstance(item, AsyncGeneratorType) and item not in generators:
            generators.append(cast("_Generator", item))
            pending.extend(gc.get_referents(item))
    return generators


def _timed_out(error: Exception) -> bool:
    """Whether the server was silent for too long, as clients of both names say it."""
    return any(kind.__name__ == "TimeoutException" for kind in type(error).__mro__)


async def _let_others() -> None:
    """Let the other tasks of this event loop have their turn."""
    from anyio.lowlevel import checkpoint

    await checkpoint()


async def _pause(seconds: float, failure: ProviderError) -> None:

    from anyio import sleep

    logger("finalturn.providers").info("asking again in %.1f s: %s", seconds, failure)
    await sleep(seconds)


def retry_delay(
    attempt: int,
    asked: float | None,
    *,
    first: float = FIRST_DELAY,
    longest: float = LONGEST_DELAY,
    patience: float = LONGEST_WAIT,
    chance: Callable[[], float] | None = None,
) -> float | None:
    """How many seconds to wait before the next attempt; ``None`` to give up.

    What the provider asks for counts. Otherwise the delay doubles with each attempt, with up to half of it
    taken away by chance, so that clients which failed together do not come back together.

    Args:
        attempt: how many attempts have failed, from 1.
        asked: the seconds that the provider asks to wait; ``None`` when it has not said.
        first: the delay before the second attempt, in seconds.
        longest: what it doubles up to.
        patience: the longest time that a provider may ask for.
        chance: gives a number from 0 up to 1; ``random.random`` by default.
    """
    if asked is not None:
        return asked if asked <= patience else None
    from random import random

    # Past 60 doublings every delay is as long as it gets, and a float would overflow.
    return min(first * 2.0 ** min(attempt - 1, 60), longest) * (1 - (chance or random)() / 2)
