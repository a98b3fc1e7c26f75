"""Numbers that a provider is given."""

from __future__ import annotations

import math
from typing import Any

import pytest

from finalturn import ConfigurationError
from finalturn._providers.answers.numbers import expect_count, expect_seconds
from finalturn.providers import Anthropic, Bedrock, Gemini, OpenAIChat, OpenAIResponses

MAKE = [OpenAIChat, OpenAIResponses, Anthropic, Gemini, Bedrock]
NO_NUMBER: list[Any] = ["3", True, math.nan, [1]]


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("max_retries", [-1, 1.5, None, *NO_NUMBER]),
        ("max_answer_bytes", [0, -1, 1.5, *NO_NUMBER]),
        ("connect_timeout", [0, -1, *NO_NUMBER]),
        ("read_timeout", [0, -0.5, *NO_NUMBER]),
    ],
)
def test_one_that_cannot_be_meant_is_refused_by_its_name(make: Any, name: str, wrong: list[Any]) -> None:
    region = {"region": "eu-central-1"} if make is Bedrock else {}
    for given in wrong:
        with pytest.raises(ConfigurationError, match=rf"^{name} must be a (whole )?number "):
            make("any", api_key="k", **region, **{name: given})


def test_what_can_be_meant() -> None:
    for least, given in ((0, 0), (0, 7), (1, 1)):
        expect_count("count", given, least=least)
    for seconds in (None, 1, 0.5, math.inf):
        assert expect_seconds("seconds", seconds) == seconds
