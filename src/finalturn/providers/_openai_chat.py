"""Chat completions: OpenAI's, and every server that speaks them."""

from __future__ import annotations

from typing import get_args

from finalturn.core import json_text
from finalturn.core.errors import ConfigurationError, ProviderError
from finalturn.core.model import Capabilities, ModelRequest
from finalturn.providers._chat_answer import ChatAnswer
from finalturn.providers._chat_encode import encode_request
from finalturn.providers._http import HttpClient
from finalturn.providers._http_provider import ACCEPT, HttpProvider, endpoint
from finalturn.providers._keys import find_key
from finalturn.providers._profiles import ANY_SERVER, PROFILES, ProfileName
from finalturn.providers._transport import Call
from finalturn.providers._wire_decode import WireDecoder


class OpenAIChat(HttpProvider):
    """A model behind the chat completions API of OpenAI or of any compatible server.

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
        max_retries: how often to ask again when the provider cannot be reached, is overloaded or breaks
            off, as long as nothing has been given out. What it says about when to come back is honoured.
        connect_timeout: seconds until a connection must stand. By default 10, or what ``http_client``
            was given that is not httpx's own default of 5.
        read_timeout: seconds that the server may be silent. By default 600, or likewise. There is no
            limit on the whole answer.

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
        if profile is None and base_url is None:
            profile = "openai"
        if profile is not None and profile not in PROFILES:
            known = ", ".join(get_args(ProfileName))
            raise ConfigurationError(f"profile {profile!r} is not known; it is one of: {known}")
        self._profile = ANY_SERVER if profile is None else PROFILES[profile]
        super().__init__(
            model,
            capabilities=capabilities or self._profile.capabilities,
            http_client=http_client,
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
        )
        self._url = endpoint(base_url or self._profile.base_url or "", "/chat/completions")
        self._key = find_key(api_key, self._profile.key_variable, http_client, needed=base_url is None)
        self._stream_usage = True

    def _call(self, request: ModelRequest, *, stream: bool) -> Call:
        asks_usage = stream and self._stream_usage and self._profile.stream_usage
        body = encode_request(
            request, model=self._model, profile=self._profile, stream=stream, stream_usage=asks_usage
        )
        headers = dict(ACCEPT)
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
            lambda: WireDecoder(ChatAnswer(self._profile, self._key), secret=self._key),
            without_usage,
        )
