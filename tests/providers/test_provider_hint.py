from __future__ import annotations

from typing import Any

import pytest

from finalturn import Agent
from finalturn._providers.provider_hint import is_provider, not_a_provider
from finalturn.providers import OpenAIChat, Scripted


class Client:
    """As the client of a vendor's package looks."""

    def __init__(self, module: str) -> None:
        type(self).__module__ = module


def test_what_can_be_asked_is_a_provider() -> None:
    assert is_provider(Scripted())
    assert is_provider(OpenAIChat("m", api_key="k"))


def test_one_of_the_users_may_have_other_methods_too() -> None:
    class Mine(Scripted):
        async def astream(self) -> None: ...

    assert is_provider(Mine())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("openai:gpt-5-mini", 'infer_provider("openai:gpt-5-mini")'),
        ("ollama:qwen3:8b", 'infer_provider("ollama:qwen3:8b")'),
        ("gpt-5-mini", 'infer_provider("openai:gpt-5-mini")'),
        ("sk-SECRET", 'infer_provider("openai:gpt-5-mini")'),
        (OpenAIChat, "the class OpenAIChat; make one of it: OpenAIChat(...)"),
        ([Scripted()], "a list; put several providers into one: Fallback(first, second)"),
        ((), "a tuple; put several"),
        (Agent(Scripted()), "an Agent, which asks a provider itself; call its run() in a tool"),
        (None, "None"),
        (7, "an int"),
    ],
)
def test_what_is_none_comes_with_the_cure(given: Any, words: str) -> None:
    assert not is_provider(given)
    assert words in not_a_provider(given)
    assert "SECRET" not in not_a_provider(given)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (
            "openai._client",
            "a Client of the package openai; the providers of finalturn need no such client",
        ),
        ("anthropic", 'Anthropic("'),
        ("google.genai.client", 'Gemini("'),
        ("botocore.client", 'Bedrock("'),
        ("groq", 'infer_provider("groq:'),
        ("mistralai.sdk", 'infer_provider("mistral:'),
        ("ollama", 'infer_provider("ollama:'),
    ],
)
def test_a_vendors_client_is_told_by_its_package(module: str, words: str) -> None:
    assert words in not_a_provider(Client(module))
