"""`Anthropic`: the provider for the Messages API, and for every server that speaks it."""

from __future__ import annotations

from hashlib import blake2b

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.model import Capabilities, ModelRequest
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.anthropic.answer import AnthropicAnswer
from finalturn._providers.anthropic.encode import encode_request
from finalturn._providers.anthropic.thinking import Thinking, budget_of, thinking_field
from finalturn._providers.blocks.replay import replay_data
from finalturn._providers.http.client import HttpClient
from finalturn._providers.http.keys import find_key
from finalturn._providers.http.provider import ACCEPT, HttpProvider, endpoint
from finalturn._providers.http.transport import Call
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

BASE_URL = "https://api.anthropic.com/v1"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
# Not the newest: 2026-10-21 only takes parameters away, and the models and servers that sample by
# temperature know this one. Anthropic's page "Versions".
VERSION = "2023-06-01"
MAX_TOKENS = 16_000

# Structured outputs and images work with every model that Anthropic still lists; an older one that refuses
# a schema is told it in words.
EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)

_ABOUT_FORMAT = ("output_config", "output_format", "output format", "schema", "grammar")


@beta(since=NEXT)
class Anthropic(HttpProvider):
    """A model behind the Messages API of Anthropic or of any compatible server.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    SYSTEM messages, wherever they stand, go into the request's system prompt. An answer that the server
    paused (``pause_turn``, with tools of its own) counts as cut. An answer that is refused in its midst
    loses its tool calls. There is no ``seed``; newer models take no ``temperature`` and no ``top_p`` either,
    and the newest no ``tool_choice="required"``: the API refuses the call. Fields such as
    ``output_config={"effort": "low"}`` go into ``ModelSettings.extra_body``, headers such as
    ``anthropic-beta`` into ``http_client``.

    Args:
        model: the model's name, as the server knows it.
        base_url: the address before ``/messages``, such as ``http://127.0.0.1:8080/v1``; by default
            Anthropic's.
        api_key: sent as ``x-api-key``. By default it is read from ``ANTHROPIC_API_KEY``; a server at
            ``base_url`` gets none.
        capabilities: what the model can do. By default, a model of Anthropic's is taken to follow JSON
            Schemas, also beside tools, and to see images; any other to call tools, and to do nothing else.
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
        max_tokens: the longest answer of one call, in tokens, thoughts included, where
            ``ModelSettings.max_tokens`` does not say it: the API needs a limit. By default 16000, and the
            budget for thinking.
        thinking: ``"adaptive"`` lets the model decide how much to think, and give a summary of it; a
            number is the budget in tokens of a model of before Claude 4.6, at least 1024; a mapping is sent
            as it is, such as ``{"type": "disabled"}``. By default the field is left out, and newer models
            think all the same.

    Attributes:
        capabilities: what this model can do.
        unsupported_settings: names of `ModelSettings` fields that it cannot take.

    Raises:
        ConfigurationError: there is no key where one is needed, or an argument is not usable.
    """

    _vendor = "Anthropic"

    @known_keywords("Anthropic")
    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        capabilities: Capabilities | None = None,
        http_client: HttpClient | None = None,
        max_retries: int = 2,
        connect_timeout: float | None = None,
        read_timeout: float | None = None,
        max_answer_bytes: int | None = None,
        max_tokens: int | None = None,
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
            unsupported=("seed",),
        )
        self._url = endpoint(BASE_URL if base_url is None else base_url, "/messages")
        self._thinking = thinking_field(thinking)
        budget = budget_of(self._thinking) or 0
        self._max_tokens = budget + MAX_TOKENS if max_tokens is None else max_tokens
        if self._max_tokens <= budget:
            raise ConfigurationError(f"max_tokens must be more than {budget}: thoughts count towards it")
        own = () if http_client is None else http_client.headers
        needs_key = base_url is None and "x-api-key" not in own
        self._key = find_key(api_key, KEY_VARIABLE if needs_key else None, http_client, needed=needs_key)
        self._headers = dict(ACCEPT)
        if "anthropic-version" not in own:
            self._headers["anthropic-version"] = VERSION
        if self._key is not None:
            self._headers["x-api-key"] = self._key
        # Fingerprints of schemas that the server has refused to enforce.
        self._refused: set[bytes] = set()

    def _call(self, request: ModelRequest, *, stream: bool, thoughts: bool = True) -> Call:
        schema = _fingerprint(request)
        encoded = encode_request(
            request,
            model=self._model,
            server=self._url,
            max_tokens=self._max_tokens,
            thinking=self._thinking,
            stream=stream,
            enforce=schema not in self._refused,
            thoughts=thoughts,
        )

        def instead(failure: ProviderError) -> Call | None:
            """Ask for less of what the server has refused: the schema in words, or no thoughts."""
            words = (failure.detail or "").lower()
            if failure.status != 400:
                return None
            if encoded.carries and "thinking" in words:
                return self._call(request, stream=stream, thoughts=False)
            if encoded.enforces and any(word in words for word in _ABOUT_FORMAT):
                self._refused.add(schema)
                return self._call(request, stream=stream, thoughts=thoughts)
            return None

        return Call(
            self._url,
            self._headers,
            json_text.encode(encoded.body),
            self._key,
            lambda: WireDecoder(
                AnthropicAnswer(self._key, lambda layout: replay_data(layout, encoded.prefix)),
                secret=self._key,
                limit=self._max_answer_bytes,
            ),
            instead,
        )


def _fingerprint(request: ModelRequest) -> bytes:
    schema = None if request.output is None else request.output.schema
    return blake2b(json_text.encode(schema), digest_size=16).digest()
