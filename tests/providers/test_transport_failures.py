"""What an exception of the HTTP client means."""

from __future__ import annotations

import httpx
import httpx2
import pytest

from finalturn.core.errors import ProviderError
from finalturn.providers._transport_failures import transport_error

KEY = "sk-SENTINEL"


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize(
    ("name", "words", "retryable"),
    [
        ("ConnectError", "could not be reached", True),
        ("ConnectTimeout", "could not be reached in time", True),
        ("ReadTimeout", "said nothing", True),
        ("WriteTimeout", "said nothing", True),
        ("PoolTimeout", "came free", True),
        ("ReadError", "broke", True),
        ("RemoteProtocolError", "broke", True),
        ("DecodingError", "decompressed", True),
        ("ProxyError", "proxy", True),
        ("LocalProtocolError", "headers", False),
        ("UnsupportedProtocol", "base_url", False),
    ],
)
def test_a_client_s_exceptions_are_known_by_name(
    library: object, name: str, words: str, retryable: bool
) -> None:
    error = transport_error(getattr(library, name)(f"broke at {KEY}"))
    assert isinstance(error, ProviderError)
    assert words in str(error)
    assert error.retryable is retryable
    assert error.detail == name
    assert error.status is None


def test_other_exceptions_are_none_of_its_business() -> None:
    class ReadError(Exception):
        pass

    assert transport_error(ValueError("x")) is None
    assert transport_error(ReadError("x")) is None
    assert transport_error(httpx2.InvalidURL("x")) is None
