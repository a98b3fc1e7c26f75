"""The kit for chat-completions providers, on OpenAIChat."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from finalturn import Capabilities
from finalturn._testing.conformance.answers import breaks_off, says
from finalturn.testing import ChatServerConformance
from tests.testing._client import post
from tests.testing._kits import ChatKit, OneTestPerClause


class TestOpenAIChat(ChatKit):
    """With all that it can do."""


class TestOpenAIChatWithTextCalls(OneTestPerClause, ChatKit):
    """On a server that takes no tools."""

    can = Capabilities(native_tools=False)


class Unconnected(ChatServerConformance):
    def connect(self, base_url: str, /) -> Any:
        return base_url


def test_the_author_must_say_how_to_connect() -> None:
    with (
        pytest.raises(NotImplementedError, match=r"ChatServerConformance must override connect\(base_url\)"),
        ChatServerConformance().provider([says("Hi")]),
    ):
        raise AssertionError("it connected")


def test_nothing_is_known_before_there_is_a_server() -> None:
    assert (Unconnected().sent(), Unconnected().released()) == (None, None)


def test_what_the_server_got_is_shown(client: httpx2.Client) -> None:
    kit = Unconnected()
    with kit.provider([says("Hi")]) as url:
        assert kit.sent() == []
        body = post(client, str(url)).request.content.decode()
        assert kit.sent() == [body]


def test_a_cut_stream_ends_without_its_marker(client: httpx2.Client) -> None:
    with Unconnected().provider([breaks_off("Hel")]) as url:
        content = post(client, str(url)).content
    assert b"Hel" in content
    assert b"[DONE]" not in content


def test_a_cut_body_does_not_come(client: httpx2.Client) -> None:
    with Unconnected().provider([breaks_off("Hel")]) as url, pytest.raises(httpx2.RemoteProtocolError):
        post(client, str(url), stream=False)
