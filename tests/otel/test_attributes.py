"""What spans say of a provider, of usage and of errors."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ProviderError, Usage
from finalturn._agent.observed import observed_turn
from finalturn._otel.attributes import error_type, of_usage, provider_name
from finalturn.providers import (
    Anthropic,
    Bedrock,
    Fallback,
    Gemini,
    OpenAIChat,
    OpenAIResponses,
    Scripted,
    Vertex,
)
from tests.agent._parts import turn_of

KEY: dict[str, Any] = {"api_key": "k"}


class Mine(OpenAIChat):
    """A provider of the user's, made of one of ours."""


@pytest.mark.parametrize(
    ("provider", "name", "model"),
    [
        (OpenAIChat("m", **KEY), "openai", "m"),
        (OpenAIChat("m", base_url="http://127.0.0.1/v1"), "openai", "m"),
        (OpenAIChat("m", profile="deepseek", **KEY), "deepseek", "m"),
        (OpenAIChat("m", profile="mistral", **KEY), "mistral_ai", "m"),
        (OpenAIChat("m", profile="azure", base_url="http://127.0.0.1/v1", **KEY), "azure.ai.openai", "m"),
        (OpenAIChat("m", profile="lmstudio", **KEY), "lm_studio", "m"),
        (Mine("m", **KEY), "openai", "m"),
        (OpenAIResponses("m", **KEY), "openai", "m"),
        (Anthropic("m", **KEY), "anthropic", "m"),
        (Bedrock("m", region="eu-west-1", **KEY), "aws.bedrock", "m"),
        (Gemini("m", **KEY), "gcp.gemini", "m"),
        (Gemini("m", vertex=Vertex("p", location="global", token=lambda: "t")), "gcp.vertex_ai", "m"),
        (Scripted("Hi."), "Scripted", None),
        (Fallback(Scripted("Hi.")), "Fallback", None),
    ],
)
def test_a_provider_has_the_name_of_its_vendor(provider: Any, name: str, model: str | None) -> None:
    turn = observed_turn(turn_of(provider))
    assert (provider_name(turn), turn.model) == (name, model)


def test_an_attribute_that_is_no_text_names_nobody() -> None:
    provider: Any = Scripted("Hi.")
    provider.vendor = provider.model = 1
    turn = observed_turn(turn_of(provider))
    assert (turn.vendor, turn.model) == (None, None)


@pytest.mark.parametrize("usage", [None, Usage(), Usage(unreported_calls=1)])
def test_usage_that_nobody_reported_is_left_out(usage: Usage | None) -> None:
    assert of_usage(usage) == {}


@pytest.mark.parametrize(
    ("error", "kind"),
    [(None, "cancelled"), (ProviderError("x", status=429), "429"), (ProviderError("x"), "ProviderError")],
)
def test_the_type_of_an_error_is_its_status_or_its_class(error: BaseException | None, kind: str) -> None:
    assert error_type(error) == kind
