"""`TurnClient` and `AsyncTurnClient`: they talk to a server, or to an application in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType, UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from finalturn._core.errors import ConfigurationError, StreamError
from finalturn._response_format import output_of
from finalturn._support.keywords import known_keywords
from finalturn._testing.turn_client.reading import Reading, ServedResult
from finalturn._testing.turn_client.turns import AsyncServedTurn, ServedTurn
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    import httpx2
    from pydantic import TypeAdapter

__all__ = ["AsyncTurnClient", "TurnClient"]

S = TypeVar("S")

App: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
ClientInput: TypeAlias = str | Sequence[Mapping[str, Any]]

_NAME = "http://localhost"


class _Turns:
    """What both clients know of a server."""

    def __init__(self, key: str | None, prefix: str) -> None:
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._prefix = prefix

    def _reading(self, input: ClientInput, session: str | None, response_format: Any) -> Reading[Any]:
        output = None if response_format is None else output_of(response_format)
        return Reading(input, session, self._headers, self._prefix, output)


@beta(since=NEXT)
class TurnClient(_Turns):
    """Asks a served agent for turns, and reads them as typed records, for tests. Use it in its block.

    Args:
        server: an application (such as that of `create_app`), which is called in memory, its lifespan
            included; the URL of a server; or a client, of httpx2 or httpx or starlette's ``TestClient``,
            which stays yours to close. An application in memory gives the records of an answer when it is
            whole.
        key: of the server; ``None`` where it wants none.
        prefix: where the agent's router stands in an application of yours, such as ``"/assistant"``.

    Raises:
        ConfigurationError: the server is none of these.

    Example:
        with TurnClient(create_app(agent)) as client, client.stream("Hello") as turn:
            for record in turn:
                ...
    """

    @known_keywords("TurnClient")
    def __init__(
        self, server: App | str | httpx2.Client, *, key: str | None = None, prefix: str = ""
    ) -> None:
        super().__init__(key, prefix)
        self._client, self._own = _client(server)
        self._open = False

    def __enter__(self) -> TurnClient:
        if self._own:
            self._client.__enter__()
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._own:
            self._client.__exit__(kind, error, trace)

    @overload
    def stream(self, input: ClientInput, *, session: str | None = None) -> ServedTurn[Any]: ...

    @overload
    def stream(
        self, input: ClientInput, *, response_format: type[S] | TypeAdapter[S], session: str | None = None
    ) -> ServedTurn[S]: ...

    @overload
    def stream(
        self,
        input: ClientInput,
        *,
        response_format: Mapping[str, Any] | UnionType,
        session: str | None = None,
    ) -> ServedTurn[Any]: ...

    @known_keywords("TurnClient.stream")
    def stream(
        self, input: ClientInput, *, response_format: Any = None, session: str | None = None
    ) -> ServedTurn[Any]:
        """Begin a turn, once it is read.

        Args:
            input: the user's text, or messages as the native format has them.
            response_format: what ``parsed`` of the result is read as, the agent's own; without one it is
                plain JSON.
            session: the id of its session.

        Raises:
            ConfigurationError: the response_format is none.
            StreamError: the client is not in its block.
        """
        if not self._open:
            raise StreamError("a client is used in its block: with TurnClient(...) as client")
        return ServedTurn(self._reading(input, session, response_format), self._client)

    @overload
    def run(self, input: ClientInput, *, session: str | None = None) -> ServedResult[Any]: ...

    @overload
    def run(
        self, input: ClientInput, *, response_format: type[S] | TypeAdapter[S], session: str | None = None
    ) -> ServedResult[S]: ...

    @overload
    def run(
        self,
        input: ClientInput,
        *,
        response_format: Mapping[str, Any] | UnionType,
        session: str | None = None,
    ) -> ServedResult[Any]: ...

    @known_keywords("TurnClient.run")
    def run(
        self, input: ClientInput, *, response_format: Any = None, session: str | None = None
    ) -> ServedResult[Any]:
        """Read a turn to its end.

        Args:
            input: as for `stream`.
            response_format: as for `stream`.
            session: as for `stream`.

        Raises:
            TurnProblem: the server has refused it, or it has failed.
        """
        with self.stream(input, response_format=response_format, session=session) as turn:
            for _ in turn:
                pass
        return turn.result


@beta(since=NEXT)
class AsyncTurnClient(_Turns):
    """The same as `TurnClient`, on asyncio.

    Args:
        server: an application, which is called in memory, without its lifespan; the URL of a server; or an
            asynchronous client, of httpx2 or httpx, which stays yours to close.
        key: as for `TurnClient`.
        prefix: as for `TurnClient`.

    Raises:
        ConfigurationError: the server is none of these.
    """

    @known_keywords("AsyncTurnClient")
    def __init__(
        self, server: App | str | httpx2.AsyncClient, *, key: str | None = None, prefix: str = ""
    ) -> None:
        super().__init__(key, prefix)
        self._client, self._own = _async_client(server)
        self._open = False

    async def __aenter__(self) -> AsyncTurnClient:
        if self._own:
            await self._client.__aenter__()
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._own:
            await self._client.__aexit__(kind, error, trace)

    @overload
    def stream(self, input: ClientInput, *, session: str | None = None) -> AsyncServedTurn[Any]: ...

    @overload
    def stream(
        self, input: ClientInput, *, response_format: type[S] | TypeAdapter[S], session: str | None = None
    ) -> AsyncServedTurn[S]: ...

    @overload
    def stream(
        self,
        input: ClientInput,
        *,
        response_format: Mapping[str, Any] | UnionType,
        session: str | None = None,
    ) -> AsyncServedTurn[Any]: ...

    @known_keywords("AsyncTurnClient.stream")
    def stream(
        self, input: ClientInput, *, response_format: Any = None, session: str | None = None
    ) -> AsyncServedTurn[Any]:
        """Begin a turn, once it is read.

        Args:
            input: as for `TurnClient.stream`.
            response_format: as for `TurnClient.stream`.
            session: as for `TurnClient.stream`.

        Raises:
            ConfigurationError: the response_format is none.
            StreamError: the client is not in its block.
        """
        if not self._open:
            raise StreamError("a client is used in its block: async with AsyncTurnClient(...) as client")
        return AsyncServedTurn(self._reading(input, session, response_format), self._client)

    @overload
    async def run(self, input: ClientInput, *, session: str | None = None) -> ServedResult[Any]: ...

    @overload
    async def run(
        self, input: ClientInput, *, response_format: type[S] | TypeAdapter[S], session: str | None = None
    ) -> ServedResult[S]: ...

    @overload
    async def run(
        self,
        input: ClientInput,
        *,
        response_format: Mapping[str, Any] | UnionType,
        session: str | None = None,
    ) -> ServedResult[Any]: ...

    @known_keywords("AsyncTurnClient.run")
    async def run(
        self, input: ClientInput, *, response_format: Any = None, session: str | None = None
    ) -> ServedResult[Any]:
        """Read a turn to its end.

        Args:
            input: as for `TurnClient.stream`.
            response_format: as for `TurnClient.stream`.
            session: as for `TurnClient.stream`.

        Raises:
            TurnProblem: the server has refused it, or it has failed.
        """
        async with self.stream(input, response_format=response_format, session=session) as turn:
            async for _ in turn:
                pass
        return turn.result


def _client(server: Any) -> tuple[httpx2.Client, bool]:
    import httpx2

    if isinstance(server, str):
        return httpx2.Client(base_url=server, timeout=None), True
    if hasattr(server, "build_request") and hasattr(server, "__enter__"):
        return server, False
    if _is_app(server):
        from starlette.testclient import TestClient

        return TestClient(server, base_url=_NAME, raise_server_exceptions=False), True
    raise ConfigurationError("server must be an ASGI application, a URL, or a synchronous client of httpx2")


def _async_client(server: Any) -> tuple[httpx2.AsyncClient, bool]:
    import httpx2

    if isinstance(server, str):
        return httpx2.AsyncClient(base_url=server, timeout=None), True
    if hasattr(server, "build_request") and hasattr(server, "__aenter__"):
        return server, False
    if _is_app(server):
        transport = httpx2.ASGITransport(server, raise_app_exceptions=False)
        return httpx2.AsyncClient(base_url=_NAME, transport=transport, timeout=None), True
    raise ConfigurationError("server must be an ASGI application, a URL, or an asynchronous client of httpx2")


def _is_app(server: object) -> bool:
    return callable(server) and not isinstance(server, type)
