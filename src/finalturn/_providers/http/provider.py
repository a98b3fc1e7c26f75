"""`HttpProvider`: the base of every provider that is reached over HTTP."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit, urlunsplit

from finalturn._adapters.whole import collect
from finalturn._core.errors import ConfigurationError
from finalturn._core.model import Capabilities, ModelEvent, ModelRequest, ModelResponse
from finalturn._providers.answers.decode import MAX_ANSWER
from finalturn._providers.http.arguments import checked_name, expect_count, expect_seconds, expect_text
from finalturn._providers.http.client import Clients, HttpClient
from finalturn._providers.http.peer import peer_of
from finalturn._providers.http.transport import Call, Transport

ACCEPT = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}


class HttpProvider(ABC):
    """A model behind HTTP: a codec over the transport that all of them share.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    Args:
        model: the model's name, as the server knows it.
        capabilities: what the model can do.
        http_client: the user's own client.
        max_retries: how often to ask again, as long as nothing has been given out.
        connect_timeout: seconds until a connection must stand, or ``None`` for the client's.
        read_timeout: seconds that the server may be silent, or ``None`` for the client's.
        max_answer_bytes: how long an answer may be, or ``None`` for `MAX_ANSWER`.
        unsupported: names of `ModelSettings` fields that the format has no place for.

    Attributes:
        capabilities: what this model can do.
        unsupported_settings: names of `ModelSettings` fields that it cannot take.
    """

    _vendor: str = ""

    def __init__(
        self,
        model: str,
        *,
        capabilities: Capabilities,
        http_client: HttpClient | None,
        max_retries: int,
        connect_timeout: float | None,
        read_timeout: float | None,
        max_answer_bytes: int | None,
        unsupported: Iterable[str] = (),
    ) -> None:
        self._model = checked_name("model", model, "give the model's name, as the server knows it")
        expect_count("max_retries", max_retries, least=0)
        if max_answer_bytes is not None:
            expect_count("max_answer_bytes", max_answer_bytes, least=1)
        self._max_answer_bytes = MAX_ANSWER if max_answer_bytes is None else max_answer_bytes
        self._transport = Transport(
            Clients(http_client),
            max_retries=max_retries,
            connect_timeout=expect_seconds("connect_timeout", connect_timeout),
            read_timeout=expect_seconds("read_timeout", read_timeout),
        )
        self.capabilities: Capabilities = capabilities
        self.unsupported_settings: frozenset[str] = frozenset(unsupported)

    @property
    def vendor(self) -> str | None:
        """Whose model it is, or what kind of server, such as ``"OpenAI"``; ``None`` where it is not known."""
        return self._vendor or None

    @property
    def model(self) -> str:
        """The model's name, as the server knows it."""
        return self._model

    @abstractmethod
    def _call(self, request: ModelRequest, *, stream: bool) -> Call:
        """The call that asks for an answer to the request."""

    def stream(self, request: ModelRequest, /) -> AsyncGenerator[ModelEvent, None]:
        """The answer, piece by piece, then one `ModelEnd`. Closing it frees the connection at once.

        Args:
            request: what to ask the model.

        Raises:
            ProviderError: while iterating: the provider could not be reached, refused, or broke off.
        """
        return self._transport.events(self._call(request, stream=True))

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """The answer as a whole.

        Args:
            request: what to ask the model.

        Raises:
            ProviderError: the provider could not be reached, refused, or broke off.
        """
        return await collect(self._transport.events(self._call(request, stream=False)))

    async def aclose(self) -> None:
        """Close the connections. They are opened anew when there is another call."""
        await self._transport.clients.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r})"


def label_of(provider: HttpProvider) -> str:
    """The vendor and the model, in words: what switches and logs call a provider."""
    return f"{provider.vendor or type(provider).__name__} {provider.model}"


def endpoint(base_url: str, path: str) -> str:
    """The address to send to: the base, and the path behind it where the base does not end in it.

    Raises:
        ConfigurationError: the base is no address.
    """
    peer = peer_of(expect_text("base_url", base_url))
    if peer is None or peer.scheme not in ("http", "https"):
        raise ConfigurationError("base_url must be an address such as http://127.0.0.1:8080/v1")
    parts = urlsplit(base_url)
    full_path = parts.path.rstrip("/")
    if not full_path.endswith(path):
        full_path += path
    return urlunsplit((parts.scheme, parts.netloc, full_path, parts.query, ""))
