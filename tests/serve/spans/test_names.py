"""What spans call a provider and its model."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._serve.spans.names import named
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
        (object(), "object", None),
    ],
)
def test_a_provider_has_the_name_of_its_vendor(provider: object, name: str, model: str | None) -> None:
    assert named(provider) == (name, model)
