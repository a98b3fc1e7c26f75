"""Names that a user gives: what cannot be one is refused, wherever one is taken."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from finalturn import Tool
from finalturn._core.errors import ConfigurationError
from finalturn._providers.http.arguments import checked_name, expect_count, expect_seconds
from finalturn.providers import (
    Anthropic,
    Bedrock,
    Gemini,
    OpenAIChat,
    OpenAIResponses,
    Vertex,
    infer_provider,
)

BLANK = ["", " ", "\t", "\n", "\r\n ", "\u00a0", "\u2003"]
CONTROL = ["a\nb", "a\x00", "\x1b[31ma", "a\u200bb", "a\u2028b", "a\ud800"]

Make = Callable[..., object]


def maker(make: Callable[..., object], **defaults: Any) -> Make:
    """Makes a provider of a model, with what it needs besides."""

    def made(model: str = "m", **options: Any) -> object:
        return make(model, **{**defaults, **options})

    return made


def inferred(model: str, **options: Any) -> object:
    return infer_provider(f"anthropic:{model}", **options)


PROVIDERS = {
    "chat": maker(OpenAIChat, api_key="k"),
    "ollama": maker(OpenAIChat, profile="ollama"),
    "azure": maker(OpenAIChat, profile="azure", api_key="k", base_url="https://a.example"),
    "responses": maker(OpenAIResponses, api_key="k"),
    "anthropic": maker(Anthropic, api_key="k"),
    "gemini": maker(Gemini, api_key="k"),
    "vertex": maker(Gemini, vertex=Vertex(), api_key="k"),
    "bedrock": maker(Bedrock, api_key="k", region="eu-central-1"),
    "infer": maker(inferred, api_key="k"),
}


@pytest.fixture(params=PROVIDERS)
def make(request: pytest.FixtureRequest) -> Make:
    found = PROVIDERS[request.param]
    found()
    return found


def refused(make: Callable[[Any], object], values: Iterable[Any], match: str = "") -> list[str]:
    """What the refusal of each value says."""
    words: dict[str, str] = {}
    taken: list[Any] = []
    for value in values:
        try:
            make(value)
        except ConfigurationError as error:
            words[repr(value)] = str(error)
        else:
            taken.append(value)
    assert taken == []
    assert {value: said for value, said in words.items() if not re.search(match, said)} == {}
    return list(words.values())


@pytest.mark.parametrize("name", ["model", "api_key", "base_url"])
def test_a_blank_argument_is_refused(make: Make, name: str) -> None:
    refused(lambda value: make(**{name: value}), BLANK, name)


@pytest.mark.parametrize("name", ["api_key", "base_url"])
def test_an_argument_that_is_no_text_is_refused_by_its_name(make: Make, name: str) -> None:
    values = [7, b"secret", ["secret"]]
    words = refused(lambda value: make(**{name: value}), values, f"^{name} must be a text, not an? ")
    assert "secret" not in "".join(words)


@pytest.mark.parametrize("name", ["model", "api_key", "base_url"])
def test_an_argument_with_invisible_characters_is_refused(make: Make, name: str) -> None:
    values = [f"http://{value}.example" if name == "base_url" else value for value in CONTROL]
    words = refused(lambda value: make(**{name: value}), values, name)
    assert not [value for value, said in zip(CONTROL, words, strict=True) if value in said]


def test_a_region_that_is_none_is_refused() -> None:
    values = [*BLANK, *CONTROL, "EU", "eu central"]
    refused(lambda value: Bedrock("m", api_key="k", region=value), values, "region")


@pytest.mark.parametrize("name", ["project", "location", "token"])
def test_a_place_on_vertex_that_is_none_is_refused(name: str) -> None:
    refused(lambda value: Vertex(**{"project": "p", **{name: value}}), [*BLANK, *CONTROL], name)


def test_a_path_of_a_gemini_model_that_is_none_is_refused() -> None:
    values = [*BLANK, *CONTROL, "models/", "models/ "]
    refused(lambda value: Gemini(value, api_key="k"), values, "model")


@pytest.mark.parametrize("whole", ["{0}", "{0}:m", "anthropic:{0}", "{0}:{0}"])
def test_no_provider_is_inferred_from_a_blank_or_invisible_name(whole: str) -> None:
    values = [whole.format(value) for value in (*BLANK, *CONTROL)]
    refused(lambda value: infer_provider(value, api_key="k"), values)


def test_a_blank_or_invisible_name_of_a_tool_is_refused() -> None:
    def look() -> None:
        """Look."""

    refused(lambda value: Tool(look, name=value), [*BLANK, *CONTROL], "name")


def test_a_name_that_is_no_text_is_refused() -> None:
    values: list[Any] = [None, 7, b"m", [], object()]
    match = r"^model must be a text, not .*; give one$"
    refused(lambda value: checked_name("model", value, "give one"), values, match)


def test_any_other_name_is_taken() -> None:
    for value in ("m", " m", "Qwen 3", "模型", "a/b:c@d", "gpt-4.1"):
        assert checked_name("model", value, "give one") == value


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
def test_a_number_that_cannot_be_meant_is_refused_by_its_name(make: Any, name: str, wrong: list[Any]) -> None:
    region = {"region": "eu-central-1"} if make is Bedrock else {}
    for given in wrong:
        with pytest.raises(ConfigurationError, match=rf"^{name} must be a (whole )?number "):
            make("any", api_key="k", **region, **{name: given})


def test_a_number_that_can_be_meant_is_taken() -> None:
    for least, given in ((0, 0), (0, 7), (1, 1)):
        expect_count("count", given, least=least)
    for seconds in (None, 1, 0.5, math.inf):
        assert expect_seconds("seconds", seconds) == seconds
