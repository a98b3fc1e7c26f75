"""Thoughts that go back to a vendor: kept with a response's first call, and put before it again.

Thoughts that led to a tool call are sent back with it, unchanged and in their place (Anthropic's page
"Thinking", section "Preserving thinking blocks"). Newer models take a thought back only behind exactly
what stood before it when it was made: the system prompt, the tools and all messages ("Preserved
thinking"); a request with any other thought is refused. So what stood there is kept with the thoughts as a
fingerprint, and they go back where it is the same. That leaves them out where a conversation goes on
under other instructions or without its tools, as a synthesis call does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from finalturn._core import json_text
from finalturn._core.messages import Message
from finalturn._providers.json_types import as_array, as_object

KEY = "anthropic"


class Prefix:
    """A fingerprint of what stands before a place in a request.

    Args:
        server: where the request goes: thoughts go back to where they come from.
        parts: what stands before the messages, as JSON types.
    """

    __slots__ = ("_hash", "server")

    def __init__(self, server: str, *parts: Any) -> None:
        # The address may hold a password, and this is stored.
        self.server = blake2b(server.encode("utf-8", "replace"), digest_size=8).hexdigest()
        self._hash = blake2b(digest_size=16)
        self.add(*parts)

    def add(self, *parts: Any) -> None:
        """What stands there next."""
        for part in parts:
            self._hash.update(json_text.encode(part) + b"\n")

    def value(self) -> str:
        """The fingerprint of all parts so far."""
        return self._hash.hexdigest()


def replay_data(layout: list[Any], prefix: Callable[[], Prefix]) -> dict[str, Any] | None:
    """What is kept with a call.

    Args:
        layout: the thoughts and their places, as `AnswerBlocks.layout` gives them.
        prefix: gives that of the whole request that they answer.
    """
    if not layout:
        return None
    sent = prefix()
    return {KEY: {"server": sent.server, "prefix": sent.value(), "blocks": layout}}


class Thoughts:
    """The thoughts of one message.

    Args:
        message: an ASSISTANT message.
    """

    __slots__ = ("_layout", "_prefix", "_server")

    def __init__(self, message: Message) -> None:
        provider_data = next((call.provider_data for call in message.tool_calls if call.provider_data), None)
        data = as_object(None if provider_data is None else provider_data.get(KEY))
        self._server, self._prefix = data.get("server"), data.get("prefix")
        self._layout = as_array(data.get("blocks"))

    def __bool__(self) -> bool:
        return bool(self._layout)

    def fit(self, prefix: Prefix, *, anywhere: bool) -> bool:
        """Whether they may stand behind what the prefix says.

        Args:
            anywhere: the model does not mind what stands before them, but that they are missing.
        """
        return self._server == prefix.server and (anywhere or self._prefix == prefix.value())

    def around(
        self, text: str, calls: Sequence[dict[str, Any]], text_blocks: Callable[[str], list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """The blocks of the message, each thought in its place.

        Where text or calls are not those of the answer any more, only the thoughts before them are sent.

        Args:
            text: of the message.
            calls: of the message, as blocks.
            text_blocks: makes a piece of text a block, or none where it is blank.
        """
        length = sum(entry for entry in self._layout if isinstance(entry, int))
        if length != len(text) or self._layout.count(None) != len(calls):
            return [*self._leading(), *text_blocks(text), *calls]
        blocks: list[dict[str, Any]] = []
        place, left = 0, iter(calls)
        for entry in self._layout:
            if isinstance(entry, int):
                blocks += text_blocks(text[place : place + entry])
                place += entry
            else:
                blocks.append(next(left) if entry is None else as_object(entry))
        return blocks

    def _leading(self) -> list[dict[str, Any]]:
        size = next((i for i, entry in enumerate(self._layout) if not as_object(entry)), len(self._layout))
        return self._layout[:size]
