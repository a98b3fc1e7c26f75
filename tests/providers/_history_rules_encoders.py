"""Every encoder, with the rules of whom it encodes for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from finalturn import ModelRequest
from finalturn._core import json_text
from finalturn._providers.anthropic import encode as _anthropic_encode
from finalturn._providers.bedrock import encode as _bedrock_encode
from finalturn._providers.bedrock.families import family_of
from finalturn._providers.gemini import encode as _gemini_encode
from finalturn._providers.openai_chat import encode as _chat_encode
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES
from finalturn._providers.openai_responses import encode as _responses
from tests.providers import _history_rules_anthropic as anthropic_rules
from tests.providers import _history_rules_bedrock as bedrock_rules
from tests.providers import _history_rules_chat as chat_rules
from tests.providers import _history_rules_gemini as gemini_rules
from tests.providers import _history_rules_responses as responses_rules

Body = dict[str, Any]


class Encoder(NamedTuple):
    """How a request is written, and what is wrong with what is written."""

    encode: Callable[[ModelRequest], Body]
    problems: Callable[[Body], Iterable[str]]

    def found(self, request: ModelRequest) -> list[str]:
        """What the vendor would refuse the request for, as it is sent."""
        sent = json.loads(json_text.encode(self.encode(request)).decode())
        return list(self.problems(sent))


def _chat(profile: Profile) -> Encoder:
    encode = partial(_chat_encode.encode_request, model="m", profile=profile, stream=True, stream_usage=True)
    return Encoder(encode, partial(chat_rules.problems, profile=profile))


def _anthropic(request: ModelRequest) -> Body:
    return _anthropic_encode.encode_request(
        request, model="m", server="s", max_tokens=9, thinking=None, stream=True
    ).body


def _gemini(signatures: Any) -> Encoder:
    def encode(request: ModelRequest) -> Body:
        return _gemini_encode.encode_request(request, signatures=signatures).body

    return Encoder(encode, partial(gemini_rules.problems, signed=signatures != "given"))


def _bedrock(model: str) -> Encoder:
    family = family_of(model)

    def encode(request: ModelRequest) -> Body:
        return _bedrock_encode.encode_request(request, server="s", family=family, fields={}).body

    return Encoder(encode, partial(bedrock_rules.problems, family=family))


ENCODERS: dict[str, Encoder] = {
    "any server": _chat(ANY_SERVER),
    **{str(name): _chat(profile) for name, profile in PROFILES.items()},
    "anthropic": Encoder(_anthropic, anthropic_rules.problems),
    **{f"gemini, {sent}": _gemini(sent) for sent in ("given", "filled", "replaced")},
    "responses": Encoder(
        partial(_responses.encode_request, model="m", origin="o", stream=True, replay=True, encrypted=True),
        responses_rules.problems,
    ),
    "bedrock, claude": _bedrock("anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "bedrock, mistral": _bedrock("mistral.mistral-large-2407-v1:0"),
    "bedrock, unknown": _bedrock("arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc"),
}
