"""Whom a connection goes to."""

from __future__ import annotations

from finalturn._providers.http.peer import peer_of


def test_whom_an_address_is_about() -> None:
    cases: list[tuple[str, str | None]] = [
        ("http://h/v1", "h:80"),
        ("https://h/v1", "h:443"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
        ("socks5://h", "h:1080"),
        ("http://h:0/", None),
        ("http://h:x/", None),
        ("http://[::1", None),
        ("http://h:99999/", None),
        ("http://a..b/", None),
        ("http://a b/", None),
        ("http://a\n/", None),
        ("h", None),
        ("", None),
    ]
    for url, peer in cases:
        found = peer_of(url)
        assert (None if found is None else str(found)) == peer, url
