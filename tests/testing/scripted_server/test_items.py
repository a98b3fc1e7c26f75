"""Requests as they are kept, and whole responses."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from finalturn._testing.scripted_server.items import Drop, HttpAnswer, ReceivedRequest


def received(body: bytes) -> ReceivedRequest:
    return ReceivedRequest("POST", "/v1/chat/completions", {"x": "y"}, body)


class TestRequests:
    def test_the_body_is_read_as_json(self) -> None:
        request = received('{"q": ["é", 1]}'.encode())
        assert request.json == {"q": ["é", 1]}
        assert (request.method, request.path, request.headers) == ("POST", "/v1/chat/completions", {"x": "y"})
        assert request == received(request.body)

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff"])
    def test_what_is_not_json_is_an_error(self, body: bytes) -> None:
        with pytest.raises(ValueError, match="at line 1"):
            _ = received(body).json

    def test_it_stays_as_it_came(self) -> None:
        with pytest.raises(FrozenInstanceError):
            received(b"").body = b"x"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


class TestAnswers:
    @pytest.mark.parametrize(
        ("body", "content"),
        [
            (b"\xff{", b"\xff{"),
            ("é", "é".encode()),
            ("", b""),
            ({"a": [1, None]}, b'{"a":[1,null]}'),
            ([], b"[]"),
            (None, b"null"),
        ],
    )
    def test_a_body_is_bytes_text_or_json(self, body: Any, content: bytes) -> None:
        assert HttpAnswer(200, body).content() == content

    def test_without_more_it_is_empty(self) -> None:
        answer = HttpAnswer(204)
        assert (answer.status, answer.content(), answer.headers) == (204, b"", {})
        assert answer.headers is not HttpAnswer(204).headers


def test_one_drop_is_like_another() -> None:
    assert Drop() == Drop()
