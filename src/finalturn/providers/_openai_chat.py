"""Chat completions: OpenAI's, and every server that speaks them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Self, get_args
from urllib.parse import urlsplit, urlunsplit

from finalturn.core import json_text
from finalturn.core.errors import ConfigurationError, ProviderError
from finalturn.core.model import Capabilities, ModelEvent, ModelRequest, ModelResponse
from finalturn.providers._chat_decode import ChatDecoder
from finalturn.providers._chat_encode import encode_request
from finalturn.providers._collect import collect
from finalturn.providers._http import Clients, HttpClient
from finalturn.providers._keys import find_key
from finalturn.providers._profiles import ANY_SERVER, PROFILES, ProfileName
from finalturn.providers._transport import Call, Transport
from finalturn.stability import stable


@stable(since="0.1.0")
class OpenAIChat:
    """A model behind the chat completions API of OpenAI or of any compatible server.

    What is sent and read is as in OpenAI's API reference (chat completions, streaming events, structured
    outputs); the stream is read as the HTML standard says of server-sent events.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    Args:
        model: the model's name, as the server knows it.
        base_url: the address before ``/chat/completions``, such as ``http://127.0.0.1:8080/v1``; by
            default the profile's.
        api_key: sent as a bearer token. By default it is read from the environment variable that the
            profile names (``OPENAI_API_KEY``); a server without a profile gets none.
        profile: what is known of the server. By default OpenAI's without ``base_url``, and none with it.
        capabilities: what the model can do, where the profile does not say it right. A server without a
            profile is taken to call tools, and to do nothing else.
        http_client: an ``httpx2.AsyncClient`` or ``httpx.AsyncClient`` to use, with its headers, limits
            and authentication. It is never closed.
        max_retries: how often to ask again, 2 by default, when the provider cannot be reached, is
            overloaded or breaks off, as long as nothing has been given out. What it says about when to
            come back is honoured (``Retry-After``, RFC 9110).
        connect_timeout: seconds until a connection must stand. By default 10, or what ``http_client``
            was given that is not httpx's own default of 5.
        read_timeout: seconds that the server may be silent. By default 600, or likewise. There is no
            limit on the whole answer.

    Attributes:
        capabilities: what this model can do.

    Raises:
        ConfigurationError: there is no key where one is needed, or an argument is not usable.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        profile: ProfileName | None = None,
        capabilities: Capabilities | None = None,
        http_client: HttpClient | None = None,
        max_retries: int = 2,
        connect_timeout: float | None = None,
        read_timeout: float | None = None,
    ) -> None:
        if not model:
            raise ConfigurationError("model is empty; give the model's name, as the server knows it")
        if profile is None and base_url is None:
            profile = "openai"
        if profile is not None and profile not in PROFILES:
            known = ", ".join(get_args(ProfileName))
            raise ConfigurationError(f"profile {profile!r} is not known; it is one of: {known}")
        self._profile = ANY_SERVER if profile is None else PROFILES[profile]
        self._model = model
        self._url = _endpoint(base_url or self._profile.base_url or "")
        self._key = find_key(api_key, self._profile.key_variable, http_client, needed=base_url is None)
        self._stream_usage = True
        self._transport = Transport(
            Clients(http_client),
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
        )
        self.capabilities: Capabilities = capabilities or self._profile.capabilities

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

    def _call(self, request: ModelRequest, *, stream: bool) -> Call:
        asks_usage = stream and self._stream_usage and self._profile.stream_usage
        body = encode_request(
            request, model=self._model, profile=self._profile, stream=stream, stream_usage=asks_usage
        )
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"

        def without_usage(failure: ProviderError) -> Call | None:
            if (
                not asks_usage
                or failure.status not in (400, 422)
                or "stream_options" not in (failure.detail or "")
            ):
                return None
            self._stream_usage = False
            return self._call(request, stream=stream)

        return Call(
            self._url,
            headers,
            json_text.encode(body),
            self._key,
            lambda: ChatDecoder(self._profile, secret=self._key),
            without_usage,
        )


def _endpoint(base_url: str) -> str:
    wrong = ConfigurationError("base_url must be an address such as http://127.0.0.1:8080/v1")
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise wrong
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
