"""A provider from a name and a model."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from finalturn import Agent, Capabilities, ConfigurationError
from finalturn._providers.infer import MAKERS
from finalturn._providers.openai_chat.profiles import PROFILES, ProfileName
from finalturn.providers import Anthropic, Gemini, OpenAIChat, OpenAIResponses, Vertex, infer_provider

KEY = "sk-SENTINEL"


@pytest.mark.parametrize(
    ("given", "kind", "model"),
    [
        ("anthropic:claude-sonnet-5", Anthropic, "claude-sonnet-5"),
        ("gemini:gemini-3.8-flash", Gemini, "gemini-3.8-flash"),
        ("google:gemini-3.8-flash", Gemini, "gemini-3.8-flash"),
        ("vertex:gemini-3.8-flash", Gemini, "gemini-3.8-flash"),
        ("openai:gpt-6", OpenAIResponses, "gpt-6"),
        ("openai-responses:gpt-6", OpenAIResponses, "gpt-6"),
        ("openai-chat:gpt-6", OpenAIChat, "gpt-6"),
        ("openrouter:anthropic/claude-sonnet-5:beta", OpenAIChat, "anthropic/claude-sonnet-5:beta"),
        (" ollama : qwen3:8b ", OpenAIChat, "qwen3:8b"),
    ],
)
def test_the_first_colon_separates_name_and_model(given: str, kind: type[Any], model: str) -> None:
    provider = infer_provider(given, api_key=KEY)
    assert type(provider) is kind
    assert repr(provider) == f"{kind.__name__}({model!r})"
    assert isinstance(Agent(provider), Agent)


def test_bedrock(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def make(*given: Any, **options: Any) -> None:
        made.append((given, options))

    # The real one needs an extra.
    monkeypatch.setattr("finalturn._providers.bedrock.provider.Bedrock", make)
    infer_provider("bedrock:anthropic.claude-sonnet-5-v1:0", region="eu-central-1")
    assert made == [(("anthropic.claude-sonnet-5-v1:0",), {"region": "eu-central-1"})]


@pytest.mark.parametrize("name", get_args(ProfileName))
def test_every_profile_is_a_name(name: ProfileName, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com")
    assert infer_provider(f"{name}:m", api_key=KEY).capabilities == PROFILES[name].capabilities


def test_options_are_passed_on() -> None:
    can = Capabilities(images=True)
    provider = infer_provider("groq:m", api_key=KEY, base_url="http://x/v1", capabilities=can)
    assert provider.capabilities is can
    # Of another server at another address, nothing is known.
    assert infer_provider("openai-chat:m", base_url="http://x/v1").capabilities == Capabilities()
    assert type(infer_provider("vertex:m", vertex=Vertex(project="p", token="t"))) is Gemini
    with pytest.raises(TypeError, match="nonsense"):
        infer_provider("groq:m", api_key=KEY, nonsense=1)


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="GROQ_API_KEY"):
        infer_provider("groq:m")


@pytest.mark.parametrize(
    ("given", "near"),
    [("antropic:m", "anthropic"), ("OpenAI:m", "openai"), ("lama.cpp:m", "llamacpp"), ("gooogle", "google")],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_all(given: str, near: str) -> None:
    with pytest.raises(ConfigurationError, match=f"did you mean '{near}'") as caught:
        infer_provider(given)
    assert str(caught.value).endswith(", ".join(sorted(MAKERS)))


@pytest.mark.parametrize("given", ["", ":", ":m", "zzzzzz:m", None, 7])
def test_what_is_like_none_is_answered_with_all(given: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"there is no provider .*; give NAME:MODEL") as caught:
        infer_provider(given)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("given", ["ollama", "ollama:", "ollama: "])
def test_a_missing_model_is_told(given: str) -> None:
    with pytest.raises(
        ConfigurationError, match="no model after 'ollama'; give both, such as 'ollama:MODEL'"
    ):
        infer_provider(given)


def test_a_key_in_the_wrong_place_is_not_shown() -> None:
    with pytest.raises(ConfigurationError) as caught:
        infer_provider("sk-proj-SENTINEL-0123456789:m")
    assert "SENTINEL" not in str(caught.value)
