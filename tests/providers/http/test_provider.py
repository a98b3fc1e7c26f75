"""What every provider behind HTTP has in common."""

from __future__ import annotations

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._core.model import Capabilities, ModelRequest
from finalturn._providers.http.provider import HttpProvider, endpoint
from finalturn._providers.http.transport import Call
from finalturn.providers import OpenAIChat


class Mine(HttpProvider):
    def _call(self, request: ModelRequest, *, stream: bool) -> Call:
        raise NotImplementedError


def mine(model: str = "m") -> Mine:
    return Mine(
        model,
        capabilities=Capabilities(images=True),
        http_client=None,
        max_retries=0,
        connect_timeout=None,
        read_timeout=None,
        max_answer_bytes=1,
        unsupported=["seed"],
    )


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/messages"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/messages"),
        ("https://api.example/v1/messages", "https://api.example/v1/messages"),
        ("https://api.example/v1?region=eu", "https://api.example/v1/messages?region=eu"),
    ],
)
def test_the_path_is_put_behind_the_base(base: str, address: str) -> None:
    assert endpoint(base, "/messages") == address


@pytest.mark.parametrize(
    "base",
    [
        "",
        " ",
        "\n",
        "localhost:8080",
        "ftp://x/v1",
        "http://",
        "http:///v1",
        "http://x:0/",
        "http://x:y/",
        "http://x:99999/",
        "http://a..b/v1",
        "http://[::1/v1",
        " http://x/v1",
        "http://x/v1 ",
        "http://x/v1\n",
        "http://x/\tv1",
        "http://x/v1\x00",
        "http://x y/v1",
        "http://x/\u200bv1",
    ],
)
def test_what_is_no_address_is_refused(base: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^base_url must be an address such as "):
        endpoint(base, "/messages")


def test_it_says_what_it_is_and_can() -> None:
    provider = mine()
    assert repr(provider) == "Mine('m')"
    assert provider.capabilities.images
    assert provider.unsupported_settings == {"seed"}


@pytest.mark.parametrize("most", [0, -1])
def test_an_answer_may_have_something(most: int) -> None:
    with pytest.raises(ConfigurationError, match="max_answer_bytes"):
        OpenAIChat("m", base_url="http://x/v1", max_answer_bytes=most)


def test_a_model_has_a_name() -> None:
    with pytest.raises(ConfigurationError, match="model is empty"):
        mine("")


async def test_closing_it_twice_is_fine() -> None:
    async with mine() as provider:
        await provider.aclose()


pytestmark = pytest.mark.anyio
