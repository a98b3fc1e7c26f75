"""`Bedrock`: the provider for the models on Amazon Bedrock, by its Converse API."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

from finalturn._core import json_text
from finalturn._core.errors import ProviderError
from finalturn._core.model import Capabilities, ModelRequest
from finalturn._providers.bedrock.access import (
    KEY_VARIABLE,
    AwsSession,
    Signer,
    authenticates,
    base_url_of,
    find_region,
)
from finalturn._providers.bedrock.answer import BedrockAnswer
from finalturn._providers.bedrock.aws import need_botocore
from finalturn._providers.bedrock.decode import BedrockDecoder
from finalturn._providers.bedrock.encode import encode_request
from finalturn._providers.bedrock.families import family_of
from finalturn._providers.bedrock.message import error_code
from finalturn._providers.blocks.replay import replay_data
from finalturn._providers.http.arguments import checked_name
from finalturn._providers.http.client import HttpClient
from finalturn._providers.http.keys import find_key
from finalturn._providers.http.provider import HttpProvider, endpoint
from finalturn._providers.http.transport import Call
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

_JSON = {"Content-Type": "application/json"}
_ACCEPT = "application/vnd.amazon.eventstream, application/json"

# What is said of thoughts, and of a schema, that the service does not take.
_ABOUT_THOUGHTS = ("thinking", "reasoning", "signature")
_ABOUT_FORMAT = ("outputconfig", "output_config", "output config", "textformat", "schema", "grammar")


@beta(since=NEXT)
class Bedrock(HttpProvider):
    """A model behind the Converse API of Amazon Bedrock. It needs the extra: ``finalturn[bedrock]``.

    It is an async context manager; closing it is optional, as its connections are closed with the event
    loop they belong to. One object serves any number of event loops and of calls at once.

    Requests are signed with AWS credentials, which botocore finds as AWS's own tools do: in the
    environment, in a profile of the shared files, or as a role of the machine. An API key goes before
    them, ``api_key`` or ``AWS_BEARER_TOKEN_BEDROCK``, and is sent as a bearer token. Nothing is signed where
    ``http_client`` authenticates.

    SYSTEM messages, wherever they stand, go into the request's system prompt. An answer that a guardrail
    stops loses its tool calls. The API cannot forbid calls: where none may be made, no tools are declared,
    and those of the conversation are told in words. An image must be given with its bytes, or as
    ``s3://`` address. There is no ``seed``. Fields such as ``{"guardrailConfig": {...}}`` go into
    ``ModelSettings.extra_body``.

    Args:
        model: an id such as ``"amazon.nova-pro-v1:0"``, or the id or ARN of an inference profile.
        region: such as ``"eu-central-1"``. By default it is read from ``AWS_REGION`` or
            ``AWS_DEFAULT_REGION``, or is the profile's.
        base_url: the address before ``/model``, such as that of a VPC endpoint; by default the region's.
        api_key: an Amazon Bedrock API key. By default it is read from ``AWS_BEARER_TOKEN_BEDROCK``; a
            server at ``base_url`` gets none.
        capabilities: what the model can do. By default it is taken to call tools, and to see images where
            its name is one of those known to. Some can follow a JSON Schema, and some of them beside tools:
            ``Capabilities(native_schema=True)``.
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
        fields: what the model takes beyond the API, sent as ``additionalModelRequestFields``, such as
            ``{"thinking": {"type": "adaptive"}}``.
        aws_session: a ``botocore.session.Session`` with the credentials and the region to use, such as
            ``Session(profile="work")``. By default one is made. Where it is given, no key is read from the
            environment.

    Attributes:
        capabilities: what this model can do.
        unsupported_settings: names of `ModelSettings` fields that it cannot take.

    Raises:
        ConfigurationError: botocore is not installed, there is no region where one is needed, or an
            argument is not usable. Missing credentials are found out at the first call.
    """

    _vendor = "Bedrock"

    @known_keywords("Bedrock")
    def __init__(
        self,
        model: str,
        *,
        region: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        capabilities: Capabilities | None = None,
        http_client: HttpClient | None = None,
        max_retries: int = 2,
        connect_timeout: float | None = None,
        read_timeout: float | None = None,
        max_answer_bytes: int | None = None,
        fields: Mapping[str, Any] | None = None,
        aws_session: AwsSession | None = None,
    ) -> None:
        self._family = family_of(checked_name("model", model, "give the model's id, as AWS knows it"))
        super().__init__(
            model,
            capabilities=capabilities or Capabilities(images=self._family.images),
            http_client=http_client,
            max_retries=max_retries,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            max_answer_bytes=max_answer_bytes,
            unsupported=("seed",),
        )
        # Without a signature too, a stream is read with it.
        need_botocore()
        variable = KEY_VARIABLE if base_url is None and aws_session is None else None
        self._key = find_key(api_key, variable, http_client, needed=False)
        signs = self._key is None and not authenticates(http_client)
        found_region = find_region(region, aws_session) if signs or base_url is None else ""
        self._base_url = base_url_of(found_region) if base_url is None else base_url
        self._signer = Signer(found_region, aws_session) if signs else None
        self._fields = dict(fields or {})
        # It is made here too, so that an address that is none is found out now.
        self._server = self._url("converse")
        # Fingerprints of schemas that the service has refused to enforce.
        self._refused: set[bytes] = set()

    def _url(self, action: str) -> str:
        # As AWS's own clients write it: the signature is of exactly this text.
        return endpoint(self._base_url, f"/model/{quote(self._model, safe='-._~')}/{action}")

    def _call(self, request: ModelRequest, *, stream: bool, thoughts: bool = True) -> Call:
        schema = _fingerprint(request)
        encoded = encode_request(
            request,
            server=self._server,
            family=self._family,
            fields=self._fields,
            enforce=schema not in self._refused,
            thoughts=thoughts,
        )

        def instead(failure: ProviderError) -> Call | None:
            """Ask for less of what the service has refused: the schema in words, or no thoughts."""
            words = (failure.detail or "").lower()
            if failure.status != 400:
                return None
            if encoded.carries and any(word in words for word in _ABOUT_THOUGHTS):
                return self._call(request, stream=stream, thoughts=False)
            if encoded.enforces and any(word in words for word in _ABOUT_FORMAT):
                self._refused.add(schema)
                return self._call(request, stream=stream, thoughts=thoughts)
            return None

        headers = _JSON | ({"Accept": _ACCEPT} if stream else {"Accept": "application/json"})
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        call = Call(
            self._url("converse-stream" if stream else "converse"),
            headers,
            json_text.encode(encoded.body),
            self._key,
            lambda: BedrockDecoder(
                BedrockAnswer(self._key, lambda layout: replay_data(layout, encoded.prefix)),
                secret=self._key,
                limit=self._max_answer_bytes,
            ),
            instead,
            code=error_code,
        )
        signer = self._signer
        return call if signer is None else call._replace(fresh=lambda: _signed(call, signer))


async def _signed(call: Call, signer: Signer) -> Call:
    """The call with a signature of this moment."""
    from anyio import to_thread

    signed = await to_thread.run_sync(signer.signed, call.url, _JSON, call.body, abandon_on_cancel=True)
    return call._replace(headers=call.headers | signed.headers, secret=signed.secret)


def _fingerprint(request: ModelRequest) -> bytes:
    schema = None if request.output is None else request.output.schema
    return blake2b(json_text.encode(schema), digest_size=16).digest()
