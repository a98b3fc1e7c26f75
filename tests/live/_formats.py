"""Which of our providers speaks which format of which server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, get_args

import pytest

from finalturn.providers import Anthropic, Bedrock, Gemini, OpenAIChat, OpenAIResponses, Vertex
from finalturn.providers._http_provider import HttpProvider
from finalturn.providers._profiles import ProfileName

Make: TypeAlias = Callable[..., HttpProvider]
"""A provider for the server at an address, with the options that every provider has."""

PROFILES: tuple[ProfileName, ...] = get_args(ProfileName)
KEY = "sk-SENTINEL"


def chat(path: str, profile: ProfileName | None = None) -> Make:
    return lambda url, **options: OpenAIChat(
        "m", base_url=url + path, api_key=KEY, profile=profile, **options
    )


def responses(path: str) -> Make:
    return lambda url, **options: OpenAIResponses("m", base_url=url + path, api_key=KEY, **options)


def anthropic(path: str) -> Make:
    return lambda url, **options: Anthropic("m", base_url=url + path, api_key=KEY, **options)


def gemini(path: str) -> Make:
    return lambda url, **options: Gemini("m", base_url=url + path, api_key=KEY, **options)


def vertex(path: str) -> Make:
    project = Vertex("p", "europe-west4", token=KEY)
    return lambda url, **options: Gemini("m", base_url=url + path, vertex=project, **options)


def bedrock(path: str) -> Make:
    return lambda url, **options: Bedrock(
        "amazon.nova-pro-v1:0", base_url=url + path, region="eu-central-1", api_key=KEY, **options
    )


OF_AIMOCK: dict[str, Make] = {
    "chat": chat("/v1"),
    **{f"chat-{profile}": chat("/v1", profile) for profile in PROFILES},
    "responses": responses("/v1"),
    "anthropic": anthropic("/v1"),
    "gemini": gemini("/v1beta"),
    "vertex": vertex("/v1/projects/p/locations/europe-west4"),
    "bedrock": bedrock(""),
}

OF_LLMOCK: dict[str, Make] = {
    "chat": chat("/v1"),
    "chat-openai": chat("/v1", "openai"),
    "chat-groq": chat("/groq/openai/v1", "groq"),
    "chat-mistral": chat("/mistral/v1", "mistral"),
    "chat-together": chat("/together/v1", "together"),
    "responses": responses("/v1"),
    "anthropic": anthropic("/anthropic/v1"),
    "gemini": gemini("/gemini/v1beta"),
}


def each(formats: dict[str, Make]) -> pytest.MarkDecorator:
    """The test is run with a provider for each."""
    return pytest.mark.parametrize("make", formats.values(), ids=formats.keys())
