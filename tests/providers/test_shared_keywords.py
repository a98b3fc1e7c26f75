"""Keywords that all providers share are described in the same words."""

from __future__ import annotations

import inspect
import re

import pytest

from finalturn.providers import Anthropic, Bedrock, Gemini, OpenAIChat, OpenAIResponses

SHARED = ("http_client", "max_retries", "connect_timeout", "read_timeout", "max_answer_bytes")


def description(provider: type[object], keyword: str) -> str:
    """What the docstring of a class says of a keyword, on one line."""
    entry = re.search(
        rf"^    {keyword}: (.*?)(?=^ {{0,4}}\S|\Z|\n\n)", inspect.getdoc(provider) or "", re.M | re.S
    )
    assert entry is not None
    return " ".join(entry[1].split())


@pytest.mark.parametrize("keyword", SHARED)
@pytest.mark.parametrize("provider", [OpenAIChat, OpenAIResponses, Gemini, Bedrock])
def test_a_shared_keyword_is_described_as_for_anthropic(provider: type[object], keyword: str) -> None:
    assert description(provider, keyword) == description(Anthropic, keyword)
