"""Requests of other web pages."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from finalturn import ConfigurationError
from finalturn._serve.access.guard import Guard

APP = "https://app.example"
EVIL = "https://evil.example"
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def status(
    *headers: tuple[str, str],
    method: str = "POST",
    kind: str = "http",
    scheme: str = "http",
    path: str = "/v1/chat",
) -> int | str:
    """What a request gets: 200 from the application, or a refusal."""
    sent: list[MutableMapping[str, Any]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> MutableMapping[str, Any]:
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": kind,
        "scheme": scheme,
        "path": path,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    if kind == "http":
        scope["method"] = method
    asyncio.run(Guard(app, hosts=["Chat.example"], origins=[APP])(scope, receive, send))
    if sent[0]["type"] == "websocket.close":
        assert len(sent) == 1
        return "closed"
    if sent[0]["status"] == 403:
        assert b'"code": "forbidden_origin"' in sent[1]["body"]
        assert b"evil" not in sent[1]["body"]
        assert not any(name.startswith(b"access-control") for name, _ in sent[0]["headers"])
    return int(sent[0]["status"])


HOST = ("host", "localhost:8000")


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LOCALHOST:1",
        "127.0.0.1",
        "127.0.0.1:8000",
        "[::1]",
        "[::1]:8000",
        "chat.example",
        "CHAT.example:443",
        "localhost:",
    ],
)
def test_a_host_that_it_is_known_by(host: str) -> None:
    assert status(("host", host)) == 200


def test_a_name_that_may_be_rebound_is_403() -> None:
    cases: list[str] = [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "evil-localhost",
        "localhost.",
        "localhost:8000:8000",
        "localhost:80 evil.example",
        "localhost@evil.example",
        "user@localhost",
        "127.0.0.1.evil.example",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "::1",
        "[::1",
        "sub.chat.example",
        "localhost,evil.example",
        "localhost/",
        "localhost:x",
        "l\xf6calhost",
        "",
    ]
    for host in cases:
        assert status(("host", host)) == 403, host
        assert status(("host", host), kind="websocket", scheme="ws") == "closed", host


def test_exactly_one_host() -> None:
    assert status() == 403
    assert status(HOST, HOST) == 403


@pytest.mark.parametrize("origin", ["http://localhost:8000", "HTTP://Localhost:8000", APP])
def test_its_own_page_and_one_that_is_configured(origin: str) -> None:
    for site in ("same-origin", "same-site", "cross-site"):
        assert status(HOST, ("origin", origin), ("sec-fetch-site", site)) == 200
    assert status(HOST, ("origin", origin), method="OPTIONS") == 200


@pytest.mark.parametrize(
    "origin",
    [
        EVIL,
        "null",
        "",
        "http://localhost",
        "http://localhost:3000",
        "https://localhost:8000",
        "http://127.0.0.1:8000",
        "http://localhost:8000/",
        "http://localhost:8000.evil.example",
        f"{APP}:8443",
        "http://app.example",
        f"{APP} {EVIL}",
    ],
)
def test_another_origin_is_403(origin: str) -> None:
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        assert status(HOST, ("origin", origin), method=method) == 403
    assert status(HOST, ("origin", origin), kind="websocket", scheme="ws") == "closed"
    # A form that another page sends is a navigation too.
    assert status(HOST, ("origin", origin), *LINK.items()) == 403


def test_several_origins_are_403() -> None:
    assert status(HOST, ("origin", APP), ("origin", APP)) == 403


@pytest.mark.parametrize(
    ("scheme", "origin"), [("ws", "http://localhost:8000"), ("wss", "https://localhost:8000")]
)
def test_a_websocket_of_its_own_page(scheme: str, origin: str) -> None:
    assert status(HOST, ("origin", origin), kind="websocket", scheme=scheme) == 200


def test_who_is_no_browser_sends_neither() -> None:
    for method in ("GET", "POST", "DELETE"):
        assert status(HOST, method=method) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unknown", ""])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_another_page_loads_is_403(site: str, method: str) -> None:
    assert status(HOST, ("sec-fetch-site", site), method=method) == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_what_its_own_page_or_the_person_loads(site: str) -> None:
    assert status(HOST, ("sec-fetch-site", site), method="GET") == 200


def test_a_link_on_another_page_may_lead_to_the_chat_page() -> None:
    for method in ("GET", "HEAD"):
        assert status(HOST, *LINK.items(), method=method, path="/") == 200
    assert status(HOST, *LINK.items(), method="POST", path="/") == 403
    for changed in ({"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "no-cors"}, {"sec-fetch-dest": "empty"}):
        assert status(HOST, *{**LINK, **changed}.items(), method="GET", path="/") == 403


@pytest.mark.parametrize(
    "path", ["/ai-sdk/c1/stream", "/v1/chat/stream/r1", "/v1/sessions", "/health", "//", "", "/openapi.json"]
)
def test_and_to_nothing_else(path: str) -> None:
    assert status(HOST, *LINK.items(), method="GET", path=path) == 403
    assert status(HOST, *LINK.items(), ("sec-purpose", "prefetch"), method="GET", path=path) == 403


def test_a_browser_that_says_no_more_than_the_address_of_the_page() -> None:
    for address in (
        f"{EVIL}/",
        EVIL,
        "http://localhost:3000/x",
        "about:blank",
        "http://localhost:8000.evil.example/",
    ):
        assert status(HOST, ("referer", address), method="GET") == 403
    for address in ("http://localhost:8000/", f"{APP}/chat"):
        assert status(HOST, ("referer", address), method="GET") == 200
        assert status(HOST, ("referer", EVIL), ("sec-fetch-site", "same-origin"), method="GET") == 200


def test_the_lifespan_is_handed_on() -> None:
    assert status(kind="lifespan") == 200


@pytest.mark.parametrize("origin", ["*", "null", "https://app.example/"])
def test_origins_that_stand_for_any_page_are_refused(origin: str) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None: ...

    with pytest.raises(ConfigurationError, match="cors_origins"):
        Guard(app, origins=[origin])
