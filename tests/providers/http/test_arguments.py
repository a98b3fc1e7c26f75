"""Names that a user gives: what cannot be one is refused, wherever one is taken."""

from __future__ import annotations

import math
from collections.abc import Callable
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


@pytest.mark.parametrize("value", BLANK)
@pytest.mark.parametrize("name", ["model", "api_key", "base_url"])
def test_a_blank_one_is_refused(make: Make, name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        make(**{name: value})


@pytest.mark.parametrize("value", [7, b"secret", ["secret"]])
@pytest.mark.parametrize("name", ["api_key", "base_url"])
def test_what_is_no_text_is_refused_by_its_name(make: Make, name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} must be a text, not an? ") as caught:
        make(**{name: value})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("value", CONTROL)
@pytest.mark.parametrize("name", ["model", "api_key", "base_url"])
def test_what_nobody_can_see_is_refused(make: Make, name: str, value: str) -> None:
    whole = f"http://{value}.example" if name == "base_url" else value
    with pytest.raises(ConfigurationError, match=name) as caught:
        make(**{name: whole})
    assert value not in str(caught.value)


@pytest.mark.parametrize("value", [*BLANK, *CONTROL, "EU", "eu central"])
def test_a_region(value: str) -> None:
    with pytest.raises(ConfigurationError, match="region"):
        Bedrock("m", api_key="k", region=value)


@pytest.mark.parametrize("value", [*BLANK, *CONTROL])
@pytest.mark.parametrize("name", ["project", "location", "token"])
def test_a_place_on_vertex(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        Vertex(**{"project": "p", **{name: value}})


@pytest.mark.parametrize("value", [*BLANK, *CONTROL, "models/", "models/ "])
def test_a_path_of_a_model(value: str) -> None:
    with pytest.raises(ConfigurationError, match="model"):
        Gemini(value, api_key="k")


@pytest.mark.parametrize("value", [*BLANK, *CONTROL])
@pytest.mark.parametrize("whole", ["{0}", "{0}:m", "anthropic:{0}", "{0}:{0}"])
def test_what_a_provider_is_inferred_from(value: str, whole: str) -> None:
    with pytest.raises(ConfigurationError):
        infer_provider(whole.format(value), api_key="k")


@pytest.mark.parametrize("value", [*BLANK, *CONTROL])
def test_a_tool(value: str) -> None:
    def look() -> None:
        """Look."""

    with pytest.raises(ConfigurationError, match="name"):
        Tool(look, name=value)


@pytest.mark.parametrize("value", [None, 7, b"m", [], object()])
def test_what_is_no_text(value: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^model must be a text, not .*; give one$"):
        checked_name("model", value, "give one")


@pytest.mark.parametrize("value", ["m", " m", "Qwen 3", "模型", "a/b:c@d", "gpt-4.1"])
def test_any_other_is_one(value: str) -> None:
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
