"""Which of our providers speaks which format of which server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, get_args

import pytest

from finalturn._providers.http.provider import HttpProvider
from finalturn._providers.openai_chat.profiles import ProfileName
from finalturn.providers import Anthropic, Bedrock, Gemini, OpenAIChat, OpenAIResponses, Vertex

Make: TypeAlias = Callable[..., HttpProvider]
"""A provider for the server at an address, with the options that every provider has."""

PROFILES: tuple[ProfileName, ...] = get_args(ProfileName)
KEY = "sk-SENTINEL"


def at(path: str, provider: Callable[..., HttpProvider], model: str = "m", **always: Any) -> Make:
    def make(url: str, **options: Any) -> HttpProvider:
        return provider(model, base_url=url + path, **always, **options)

    return make


OF_AIMOCK: dict[str, Make] = {
    "chat": at("/v1", OpenAIChat, api_key=KEY),
    **{f"chat-{profile}": at("/v1", OpenAIChat, api_key=KEY, profile=profile) for profile in PROFILES},
    "responses": at("/v1", OpenAIResponses, api_key=KEY),
    "anthropic": at("/v1", Anthropic, api_key=KEY),
    "gemini": at("/v1beta", Gemini, api_key=KEY),
    "vertex": at("/v1/projects/p/locations/x", Gemini, vertex=Vertex("p", "x", token=KEY)),
    "bedrock": at("", Bedrock, "amazon.nova-pro-v1:0", api_key=KEY, region="eu-central-1"),
}

OF_LLMOCK: dict[str, Make] = {
    "chat": at("/v1", OpenAIChat, api_key=KEY),
    "chat-openai": at("/v1", OpenAIChat, api_key=KEY, profile="openai"),
    "chat-groq": at("/groq/openai/v1", OpenAIChat, api_key=KEY, profile="groq"),
    "chat-mistral": at("/mistral/v1", OpenAIChat, api_key=KEY, profile="mistral"),
    "chat-together": at("/together/v1", OpenAIChat, api_key=KEY, profile="together"),
    "responses": at("/v1", OpenAIResponses, api_key=KEY),
    "anthropic": at("/anthropic/v1", Anthropic, api_key=KEY),
    "gemini": at("/gemini/v1beta", Gemini, api_key=KEY),
}


def each(formats: dict[str, Make]) -> pytest.MarkDecorator:
    """The test is run with a provider for each."""
    return pytest.mark.parametrize("make", formats.values(), ids=formats.keys())


def name_of(make: Make) -> str:
    """What llmock's format is called."""
    return next(name for name, known in OF_LLMOCK.items() if known is make)
