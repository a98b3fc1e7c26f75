"""Providers of every vendor, and how the server of each says that something is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finalturn._providers.http.provider import HttpProvider
from finalturn.providers import (
    Anthropic,
    Bedrock,
    Gemini,
    OpenAIChat,
    OpenAIResponses,
)
from tests.providers import _anthropic_wire as anthropic
from tests.providers import _bedrock_asking as bedrock
from tests.providers import _bedrock_wire as bedrock_wire
from tests.providers import _gemini_wire as gemini
from tests.providers import _responses_wire as responses
from tests.providers._server import Reply, stream
from tests.providers._wire import DONE, STOP, delta, event

KEY = "sk-SENTINEL"
Error = dict[str, Any]


class Vendor:
    """A provider, and how its server tells what.

    Args:
        answer: a whole answer of the text "ok".
        said: a piece of an answer, with the text "par".
        told: an error in the midst of a stream.
    """

    def __init__(
        self, make: Callable[[str], HttpProvider], answer: Reply, said: bytes, told: Callable[[Error], bytes]
    ) -> None:
        self.make, self.answer, self.said, self.told = make, answer, said, told


def _bedrock_error(error: Error) -> bytes:
    name = {429: "throttlingException", 400: "validationException", 403: "accessDeniedException"}
    return bedrock_wire.exception(name.get(error.get("code", 0), "ofTomorrowException"), **error)


def _bedrock(url: str) -> HttpProvider:
    return Bedrock("m", base_url=url, region="eu-central-1", api_key=KEY)


VENDORS = {
    "chat": Vendor(
        lambda url: OpenAIChat("m", base_url=url, api_key=KEY),
        stream(delta("ok") + STOP + DONE),
        delta("par"),
        lambda error: event({"error": error}),
    ),
    "responses": Vendor(
        lambda url: OpenAIResponses("m", base_url=url, api_key=KEY),
        stream(
            responses.event("response.output_text.delta", delta="ok", item_id="i")
            + responses.event("response.completed", response={"status": "completed", "output": []})
        ),
        responses.event("response.output_text.delta", delta="par", item_id="i"),
        lambda error: responses.event("response.failed", response={"status": "failed", "error": error}),
    ),
    "anthropic": Vendor(
        lambda url: Anthropic("m", base_url=url, api_key=KEY),
        stream(anthropic.start() + anthropic.text(0, "ok") + anthropic.finish()),
        anthropic.start() + anthropic.text(0, "par"),
        lambda error: anthropic.event({"type": "error", "error": error}),
    ),
    "gemini": Vendor(
        lambda url: Gemini("m", base_url=url, api_key=KEY),
        stream(event(gemini.record(gemini.text("ok"), finish="STOP"))),
        event(gemini.record(gemini.text("par"))),
        lambda error: event({"error": error}),
    ),
    "bedrock": Vendor(
        _bedrock,
        bedrock.stream(
            bedrock_wire.START + bedrock_wire.text(0, "ok") + bedrock_wire.finish() + bedrock.TOKENS
        ),
        bedrock_wire.START + bedrock_wire.text(0, "par"),
        _bedrock_error,
    ),
}
