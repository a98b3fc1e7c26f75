"""`OpenAIResponses`: the provider for the Responses API of OpenAI, and of every server that speaks it."""

from __future__ import annotations

import re
from typing import Any

from finalturn._core import json_text
from finalturn._core.errors import ProviderError
from finalturn._core.model import Capabilities, ModelRequest
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.http.client import HttpClient
from finalturn._providers.http.keys import find_key
from finalturn._providers.http.provider import ACCEPT, HttpProvider, endpoint
from finalturn._providers.http.transport import Call
from finalturn._providers.openai_responses.answer import ResponsesAnswer
from finalturn._providers.openai_responses.encode import UNSUPPORTED, encode_request
from finalturn._providers.openai_responses.replay import origin_of
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

OPENAI = "https://api.openai.com/v1"

# How a server refuses to encrypt reasoning, or reasoning that it is sent back. OpenAI's words are "Encrypted
# content is not supported with this model", "The encrypted content ... could not be verified", and "Item
# 'rs_...' of type 'reasoning' ..."; others name the field.
_OF_ENCRYPTION = re.compile(r"encrypted|['\"`]include\b|\binclude\[", re.IGNORECASE)
_OF_AN_ITEM = re.compile(r"['\"`](?:rs_|reasoning['\"`])|\binput\[")

# Models of OpenAI's that do not reason, and refuse to be asked for it; another one is found out by asking.
_PLAIN = re.compile(r"(?:ft:)?(?:chatgpt-4|gpt-3|gpt-4)")

_OF_OPENAI = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


@beta(since=NEXT)
class OpenAIResponses(HttpProvider):
    """A model behind the Responses API of OpenAI or of any compatible server.

    Nothing is stored with the provider (``store`` is false). What a reasoning model has thought before a
    call goes back with that call, encrypted where the server does so, as long as the conversation is
    continued with the same server and model. A model that has nothing to encrypt is asked once more without
    asking for that, and this is remembered.

    A message that the model marks as commentary is text like any other. It stands apart from the final
    answer of the same response by a blank line, and an answer that only repeats it is left out.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    Args:
        model: the model's name, as the server knows it.
        base_url: the address before ``/responses``, such as ``http://127.0.0.1:8080/v1``; by default
            OpenAI's.
        api_key: sent as a bearer token. By default it is read from the environment variable
            ``OPENAI_API_KEY``; with ``base_url``, none is read.
        capabilities: what the model can do. By default a model of OpenAI's is taken to follow schemas, with
            tools too, and to see images; one with ``base_url`` to call tools, and to do nothing else.
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

    The settings ``seed`` and ``stop`` have no field in this API, and are refused.

    Attributes:
        capabilities: what this model can do.
        unsupported_settings: names of `ModelSettings` fields that it cannot take.

    Raises:
        ConfigurationError: there is no key where one is needed, or an argument is not usable.
    """

    _vendor = "OpenAI"

    @known_keywords("OpenAIResponses")
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
    ) -> None:
        super().__init__(
            model,
            capabilities=capabilities or (_OF_OPENAI if base_url is None else Capabilities()),
            http_client=http_client,
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            max_answer_bytes=max_answer_bytes,
            unsupported=UNSUPPORTED,
        )
        self._url = endpoint(OPENAI if base_url is None else base_url, "/responses")
        variable = "OPENAI_API_KEY" if base_url is None else None
        self._key = find_key(api_key, variable, http_client, needed=base_url is None)
        self._origin = origin_of(self._url, model)
        self._encrypted = base_url is not None or _PLAIN.match(model) is None

    def _call(self, request: ModelRequest, *, stream: bool, replay: bool = True) -> Call:
        encrypted = self._encrypted
        body = encode_request(
            request,
            model=self._model,
            origin=self._origin,
            stream=stream,
            replay=replay,
            encrypted=encrypted,
        )
        headers = dict(ACCEPT)
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"

        def without_reasoning(failure: ProviderError) -> Call | None:
            if failure.status not in (400, 404, 422):
                return None
            words = f"{failure.code} {failure.detail}"
            of_encryption = _OF_ENCRYPTION.search(words)
            if (of_encryption or _OF_AN_ITEM.search(words)) and replay and _has_reasoning(body):
                return self._call(request, stream=stream, replay=False)
            if of_encryption and encrypted:
                self._encrypted = False
                return self._call(request, stream=stream, replay=replay)
            return None

        return Call(
            self._url,
            headers,
            json_text.encode(body),
            self._key,
            lambda: WireDecoder(
                ResponsesAnswer(self._origin, self._key), secret=self._key, limit=self._max_answer_bytes
            ),
            without_reasoning,
        )


def _has_reasoning(body: dict[str, Any]) -> bool:
    return any(item.get("type") == "reasoning" for item in body["input"])
