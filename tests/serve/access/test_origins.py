"""Which origins can be named."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ConfigurationError
from finalturn._serve.access.origins import READ_HEADERS, check_cors_headers, check_origins


def test_origins_as_browsers_send_them() -> None:
    origins = ["https://app.example", "http://localhost:3000", "http://127.0.0.1:80000", "https://[::1]:8443"]
    assert check_origins(origins) == tuple(origins)
    assert check_origins(()) == ()


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "",
        "app.example",
        "https://app.example/",
        "https://app.example/chat",
        "https://app.example?x",
        "https://App.example",
        "HTTPS://app.example",
        "https://app.example:443",
        "http://app.example:80",
        "https://*.example",
        "https://user@app.example",
        "file://app",
        "https://app.example\n",
        "https://",
        None,
        b"https://app.example",
    ],
)
def test_what_no_browser_sends_or_any_page_can_is_refused(origin: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^cors_origins\[1\] must be the origin of one web page"):
        check_origins(["https://a.example", origin])


def test_one_text_is_not_a_list() -> None:
    with pytest.raises(ConfigurationError, match="must be a list"):
        check_origins("https://app.example")


def test_headers_that_pages_may_send() -> None:
    assert check_cors_headers(["*"]) == check_cors_headers(["X-A", "*"]) == ("*",)
    always = (*READ_HEADERS, "User-Agent")
    assert check_cors_headers([]) == always
    assert check_cors_headers(["X-Tenant", "traceparent"]) == (*always, "X-Tenant", "traceparent")


@pytest.mark.parametrize("name", ["", "X Tenant", "X-A, X-B", "X-A:", "X-\u00e9", "X-A\n", None])
def test_what_is_no_header_is_refused(name: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"cors_headers\[1\]"):
        check_cors_headers(["X-A", name])


def test_one_text_is_no_list_of_headers() -> None:
    with pytest.raises(ConfigurationError, match="must be a list"):
        check_cors_headers("X-A")
