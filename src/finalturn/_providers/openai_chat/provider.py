"""`OpenAIChat`: the provider for chat completions of OpenAI, and of every server that speaks them."""

from __future__ import annotations

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.model import Capabilities, ModelRequest
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.http.client import HttpClient
from finalturn._providers.http.keys import find_address, find_key
from finalturn._providers.http.provider import ACCEPT, HttpProvider, endpoint
from finalturn._providers.http.transport import Call
from finalturn._providers.openai_chat.answer import OpenAIChatAnswer, splitter_for
from finalturn._providers.openai_chat.encode import check_settings, encode_body
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES, ProfileName
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta, stable


@stable(
    since="0.1.0",
    fields={
        "max_answer_bytes": beta(since=NEXT),
        "unsupported_settings": stable(since=NEXT),
        "starts_in_reasoning": beta(since=NEXT),
        "vendor": beta(since=NEXT),
        "model": beta(since=NEXT),
    },
)
class OpenAIChat(HttpProvider):
    """A model behind the chat completions API of OpenAI or of any compatible server.

    What is sent and read is as in OpenAI's API reference (chat completions, streaming events, structured
    outputs); the stream is read as the HTML standard says of server-sent events.

    Servers differ, and a profile says how: where the server is, how it wants its key, what it calls things,
    what it refuses, and what it can do. ``profile`` takes the names there are, and the guide on providers has
    the address of each, the variable that its key is read from, and what it lacks. What the models of a
    gateway can do goes into ``capabilities``. With ``azure``, ``model`` is the name of a deployment.

    Servers that people run themselves need no key, and are sent one that is there. They, and a server without
    a profile, may have no parser for their model. So reasoning between a model's tags is taken out of the
    text, and so are calls in its notation, which run like any others. What stands in quoted code is text.
    Services that leave reasoning between think tags in the text have the tags taken out, too.

    Only models of OpenAI and Azure are taken to see images; of any other,
    ``capabilities=Capabilities(images=True, ...)`` says so.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    Args:
        model: the model's name, as the server knows it.
        base_url: the address before ``/chat/completions``, such as ``http://127.0.0.1:8080/v1``; by
            default the profile's.
        api_key: sent as a bearer token, or as the profile says. By default it is read from the
            environment variable that the profile names; a server without a profile gets none.
        profile: what is known of the server. By default OpenAI's without ``base_url``, and none with it.
        capabilities: what the model can do, where the profile does not say it right. A server without a
            profile is taken to call tools, and to do nothing else.
        starts_in_reasoning: the model's template ends its prompt inside reasoning, so that the text begins
            there, without a tag, as with DeepSeek R1 behind a server that has no reasoning parser. What
            comes before the closing tag is reasoning then; without one, the whole text is.
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

    Attributes:
        capabilities: what this model can do.
        unsupported_settings: names of `ModelSettings` fields that it cannot take.

    Raises:
        ConfigurationError: there is no key or address where one is needed, or an argument is not usable.
    """

    @known_keywords("OpenAIChat")
    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        profile: ProfileName | None = None,
        capabilities: Capabilities | None = None,
        starts_in_reasoning: bool = False,
        http_client: HttpClient | None = None,
        max_retries: int = 2,
        connect_timeout: float | None = None,
        read_timeout: float | None = None,
        max_answer_bytes: int | None = None,
    ) -> None:
        if profile is None and base_url is None:
            profile = "openai"
        self._profile = known = _profile_of(profile)
        self._vendor = "" if known is ANY_SERVER else known.name
        can = capabilities or known.capabilities
        # Where tools are written into the prompt, finalturn makes the choice itself.
        by_hand: frozenset[str] = frozenset() if can.native_tools else frozenset({"tool_choice"})
        super().__init__(
            model,
            capabilities=can,
            http_client=http_client,
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            max_answer_bytes=max_answer_bytes,
            unsupported=known.unsupported - by_hand,
        )
        self._url = endpoint(_address(known) if base_url is None else base_url, "/chat/completions")
        self._key = find_key(
            api_key,
            known.key_variable,
            http_client,
            needed=known.key_needed and base_url is None,
            header=known.key_header,
        )
        self._stream_usage = True
        self._starts_in_reasoning = starts_in_reasoning

    def _call(self, request: ModelRequest, *, stream: bool) -> Call:
        check_settings(request.settings, self.unsupported_settings, self._profile.name)
        asks_usage = stream and self._stream_usage and self._profile.stream_usage
        body = encode_body(
            request, model=self._model, profile=self._profile, stream=stream, stream_usage=asks_usage
        )

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
            {**ACCEPT, **self._credentials()},
            body,
            self._key,
            lambda: WireDecoder(self._answer(request), secret=self._key, limit=self._max_answer_bytes),
            without_usage,
        )

    def _answer(self, request: ModelRequest) -> OpenAIChatAnswer:
        hidden = splitter_for(
            request,
            self._profile,
            native_tools=self.capabilities.native_tools,
            starts_inside=self._starts_in_reasoning,
        )
        return OpenAIChatAnswer(self._profile, self._key, self._model, hidden)

    def _credentials(self) -> dict[str, str]:
        if self._key is None:
            return {}
        if self._profile.key_header is not None:
            return {self._profile.key_header: self._key}
        return {"Authorization": f"Bearer {self._key}"}


def _profile_of(name: ProfileName | None) -> Profile:
    if name is None:
        return ANY_SERVER
    profile = PROFILES.get(name)
    if profile is None:
        raise ConfigurationError(f"profile {name!r} is not known; it is one of: {', '.join(PROFILES)}")
    return profile


def _address(profile: Profile) -> str:
    if profile.base_variable is None:
        return profile.base_url or ""
    return endpoint(find_address(profile.base_variable), profile.base_path)
