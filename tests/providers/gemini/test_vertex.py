"""A project on Vertex AI, and its tokens."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import current_thread
from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._providers.gemini.vertex import Vertex, fetch


@pytest.mark.parametrize(
    ("vertex", "address"),
    [
        (Vertex(), "https://aiplatform.googleapis.com/v1beta1"),
        (Vertex("p"), "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global"),
        (
            Vertex("p", "europe-west4"),
            "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p/locations/europe-west4",
        ),
        (Vertex("p", "eu"), "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu"),
        (Vertex(location="eu"), "https://aiplatform.googleapis.com/v1beta1"),
    ],
)
def test_where_it_is(vertex: Vertex, address: str) -> None:
    assert vertex.base_url == address


@pytest.mark.parametrize("value", ["", "a/b", "../x", "a b", "a?b", "-a", "a#"])
def test_a_name_that_would_lead_elsewhere_is_refused(value: str) -> None:
    with pytest.raises(ConfigurationError, match="the project of Vertex"):
        Vertex(value)
    with pytest.raises(ConfigurationError, match="the location of Vertex"):
        Vertex("p", value)


@pytest.mark.parametrize("token", ["", "a b", "a\n", "\u00e9"])
def test_so_is_a_token_that_cannot_be_sent(token: str) -> None:
    with pytest.raises(ConfigurationError, match="token"):
        Vertex("p", token=token)


def test_a_token_is_not_shown() -> None:
    assert "secret" not in repr(Vertex("p", token="secret"))


async def asynchronous() -> str:
    return "t"


class Source:
    async def __call__(self) -> str:
        return "t"


@pytest.mark.anyio
class TestTokens:
    @pytest.mark.parametrize(
        "token",
        [lambda: "t", asynchronous, functools.partial(asynchronous), Source(), lambda: asynchronous()],
    )
    async def test_each_kind_of_function_gives_one(self, token: Callable[[], Any]) -> None:
        assert await fetch(token) == "t"

    async def test_one_that_waits_does_so_in_a_thread(self) -> None:
        threads: list[object] = []

        def token() -> str:
            threads.append(current_thread())
            return "t"

        await fetch(token)
        assert threads != [current_thread()]

    async def test_one_that_fails_is_a_provider_that_cannot_be_asked(self) -> None:
        def token() -> str:
            raise OSError("secret")

        with pytest.raises(ProviderError, match="token could not be had") as caught:
            await fetch(token)
        assert "secret" not in str(caught.value)
        assert (caught.value.detail, caught.value.retryable) == ("OSError", False)
        assert isinstance(caught.value.__cause__, OSError)

    @pytest.mark.parametrize("given", [None, "", 7, b"t", "a\r\nb"])
    async def test_what_is_none_is_refused(self, given: Any) -> None:
        with pytest.raises(ConfigurationError, match="token"):
            await fetch(lambda: given)
