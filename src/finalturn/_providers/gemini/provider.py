"""`Gemini`: the provider for Google's models, on the Gemini API and on Vertex AI."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from finalturn._adapters.whole import collect
from finalturn._core import json_text
from finalturn._core.errors import ProviderError
from finalturn._core.model import Capabilities, ModelEvent, ModelRequest, ModelResponse
from finalturn._providers.gemini.access import BASE_URL, KEY_HEADER, find_access, model_path
from finalturn._providers.gemini.decode import GeminiDecoder
from finalturn._providers.gemini.encode import encode_request
from finalturn._providers.gemini.replay import Signatures, other_signatures
from finalturn._providers.gemini.thinking import Thinking, thinking_config
from finalturn._providers.gemini.vertex import TokenSource, Vertex, fetch
from finalturn._providers.http.client import HttpClient
from finalturn._providers.http.provider import ACCEPT, HttpProvider, endpoint
from finalturn._providers.http.transport import Call
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

# Models before Gemini 3 refuse a schema beside tools.
EVERYTHING = Capabilities(native_schema=True, native_schema_any_root=True, images=True)

# What is said of a schema that cannot be enforced.
_ABOUT_SCHEMA = ("schema", "mime type", "mime_type", "too many states")


@beta(since=NEXT)
class Gemini(HttpProvider):
    """A model behind generateContent: on the Gemini API, on Vertex AI, or on a server like them.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    SYSTEM messages, wherever they stand, go into the request's system instruction. Signatures of thoughts
    go back with the tool calls that they came with; those that come with text do not, which the API allows.
    Where the API misses a signature, or does not take one, because another model has made the call, it is
    asked once more with the stand-in that it has for this. A schema that it refuses is told in words.
    Fields such as ``{"generationConfig": {"topK": 5}}`` go into ``ModelSettings.extra_body``, and beside
    what is in ``generationConfig`` already.

    Args:
        model: the model's name, such as ``"gemini-3.8-flash"``, or its path, such as
            ``"tunedModels/mine"`` and, on Vertex AI, ``"endpoints/123"``.
        base_url: the address before ``/models``, such as ``http://127.0.0.1:8080/v1beta``, and on
            Vertex AI before ``/publishers``; by default Google's.
        api_key: sent as ``x-goog-api-key``. By default it is read from ``GEMINI_API_KEY`` or
            ``GOOGLE_API_KEY``; a server at ``base_url``, and a project on Vertex AI, get none.
        vertex: a project on Vertex AI to use, or ``Vertex()`` for its express mode.
        capabilities: what the model can do. By default, Google's are taken to follow JSON Schemas, but not
            beside tools, and to see images; a server at ``base_url`` to call tools, and to do nothing
            else. Gemini 3 and later can combine the two: ``Capabilities(native_schema=True,
            native_schema_with_tools=True, native_schema_any_root=True, images=True)``.
        http_client: an ``httpx2.AsyncClient`` or ``httpx.AsyncClient`` to use, with its headers, limits
            and authentication. It is never closed.
        max_retries: how often to ask again, 2 by default, when the provider cannot be reached, is
            overloaded or breaks off, or when what the model wrote cannot be read, as long as nothing has been
            given out. What it says about when to come back is honoured (``Retry-After``, RFC 9110, and the
            records of vendors).
        connect_timeout: seconds until a connection must stand. By default 10, or what ``http_client``
            was given that is not httpx's own default of 5.
        read_timeout: seconds that the server may be silent. By default 600, or likewise. There is no
            limit on how long the whole answer takes.
        max_answer_bytes: how long one answer may be: its text, thoughts and calls' arguments with one byte
            for each character, and a record of a stream, or an answer in one document, as it comes. By
            default 16777216 (16 MiB). A longer one is a `ProviderError`, so that it cannot use up the memory.
        thinking: ``True`` asks for a summary of the model's thoughts; a number is its budget in tokens
            (Gemini 2.5; -1 leaves it to the model, ``False`` is 0), ``"minimal"``, ``"low"``,
            ``"medium"`` and ``"high"`` are levels (Gemini 3 and later), and both ask for the summary;
            a mapping is sent as it is. By default it is left to the model, which shows no thoughts.

    Attributes:
        capabilities: what this model can do.
        unsupported_settings: names of `ModelSettings` fields that it cannot take.

    Raises:
        ConfigurationError: there is no key where one is needed, or an argument is not usable.
    """

    _vendor = "Gemini"

    @known_keywords("Gemini")
    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        vertex: Vertex | None = None,
        capabilities: Capabilities | None = None,
        http_client: HttpClient | None = None,
        max_retries: int = 2,
        connect_timeout: float | None = None,
        read_timeout: float | None = None,
        max_answer_bytes: int | None = None,
        thinking: Thinking | None = None,
    ) -> None:
        super().__init__(
            model,
            capabilities=capabilities or (EVERYTHING if base_url is None else Capabilities()),
            http_client=http_client,
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            max_answer_bytes=max_answer_bytes,
        )
        default = BASE_URL if vertex is None else vertex.base_url
        self._base_url = default if base_url is None else base_url
        self._path = model_path(model, on_vertex=vertex is not None)
        self._url(stream=False)
        self._thinking = thinking_config(thinking)
        self._token = None if vertex is None else vertex.token
        if vertex is not None:
            self._vendor = "Vertex AI"
        self._key = find_access(api_key, base_url, vertex, http_client)
        # A model that misses signatures of thoughts misses them always.
        self._signatures: Signatures = "given"
        # Schemas that the server has refused to enforce.
        self._refused: set[bytes] = set()

    def stream(self, request: ModelRequest, /) -> AsyncGenerator[ModelEvent, None]:
        """The answer, piece by piece, then one `ModelEnd`. Closing it frees the connection at once.

        Args:
            request: what to ask the model.

        Raises:
            ProviderError: while iterating: the provider could not be reached, refused, or broke off.
        """
        return (
            self._ask(request, self._token, stream=True) if callable(self._token) else super().stream(request)
        )

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """The answer as a whole.

        Args:
            request: what to ask the model.

        Raises:
            ProviderError: the provider could not be reached, refused, or broke off.
        """
        if callable(self._token):
            return await collect(self._ask(request, self._token, stream=False))
        return await super().complete(request)

    async def _ask(
        self, request: ModelRequest, token: TokenSource, *, stream: bool
    ) -> AsyncGenerator[ModelEvent, None]:
        call = self._call_with(await fetch(token), request, stream=stream)
        async with aclosing(self._transport.events(call)) as events:
            async for event in events:
                yield event

    def _call(self, request: ModelRequest, *, stream: bool) -> Call:
        return self._call_with(None if callable(self._token) else self._token, request, stream=stream)

    def _call_with(
        self,
        token: str | None,
        request: ModelRequest,
        *,
        stream: bool,
        signatures: Signatures | None = None,
    ) -> Call:
        signatures = signatures or self._signatures
        schema = b"" if request.output is None else json_text.encode(request.output.schema)
        encoded = encode_request(
            request,
            thinking=self._thinking,
            signatures=signatures,
            enforce=schema not in self._refused,
        )

        def instead(failure: ProviderError) -> Call | None:
            """Ask with other signatures, or with the schema in words, where the server says so."""
            other = other_signatures(failure, signatures)
            words = (failure.detail or "").lower()
            if other == "filled":
                self._signatures = other
            elif other is None:
                about_schema = any(word in words for word in _ABOUT_SCHEMA)
                if failure.status != 400 or not (encoded.enforces and about_schema):
                    return None
                self._refused.add(schema)
            return self._call_with(token, request, stream=stream, signatures=other or signatures)

        headers = dict(ACCEPT)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        elif self._key is not None:
            headers[KEY_HEADER] = self._key
        secret = token or self._key
        return Call(
            self._url(stream=stream),
            headers,
            json_text.encode(encoded.body),
            secret,
            lambda: GeminiDecoder(secret, limit=self._max_answer_bytes),
            instead,
        )

    def _url(self, *, stream: bool) -> str:
        url = endpoint(
            self._base_url, f"{self._path}:{'streamGenerateContent' if stream else 'generateContent'}"
        )
        if not stream:
            return url
        # Without it, the records come as one JSON array.
        return f"{url}{'&' if '?' in url else '?'}alt=sse"
