"""Requests for providers with less than all capabilities."""

from __future__ import annotations

from finalturn import Capabilities, ContentPart, Message, ModelRequest, ToolSpec
from finalturn._agent.request import adapt

IMAGE = ContentPart.image_url("https://example.org/a.png")
LOOK = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})


def test_a_provider_that_can_everything_gets_the_request_itself() -> None:
    request = ModelRequest([Message.user("look", IMAGE)], tools=(LOOK,))
    assert adapt(request, Capabilities(images=True)) is request


def test_without_images_the_request_is_the_same() -> None:
    request = ModelRequest([Message.user("hi")])
    assert adapt(request, Capabilities()) is request


def test_images_of_the_history_are_named_where_they_are_not_seen() -> None:
    messages = [Message.user("look", IMAGE), Message.user("", IMAGE, IMAGE), Message.user("hi")]
    request = ModelRequest(messages)
    adapted = adapt(request, Capabilities())
    assert [message.content for message in adapted.messages] == [
        "look\n[an image that this model cannot see]",
        "[an image that this model cannot see]",
        "hi",
    ]
    assert not any(message.content_parts for message in adapted.messages)
    assert adapted.messages[2] is messages[2]
    assert request.messages is messages


def test_without_native_tools_they_are_written_as_text() -> None:
    request = ModelRequest([Message.user("hi")], system="Be kind.", tools=(LOOK,))
    adapted = adapt(request, Capabilities(native_tools=False))
    assert adapted.tools == ()
    assert adapted.system.startswith("Be kind.")
    assert '"look"' in adapted.system or "look" in adapted.system
