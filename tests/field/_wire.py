"""Raw bodies of chat-completions servers, and turns that are played on them."""

from __future__ import annotations

import json
from typing import Any

from finalturn import Message, Role
from tests.contract._observed import Observed
from tests.contract._play import Play

DRIVERS = ("astream-asyncio", "astream-trio", "run", "arun-asyncio")
DONE = b"data: [DONE]\n\n"


def sse(record: Any) -> bytes:
    """One record."""
    return b"data: " + json.dumps(record).encode() + b"\n\n"


def oa(delta: Any, finish: str | None = None) -> bytes:
    """A record with one delta."""
    return sse({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def say(*pieces: str) -> bytes:
    """Text, in these pieces."""
    return b"".join(oa({"content": piece}) for piece in pieces)


def piece(index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> dict[str, Any]:
    """A piece of a call; what is None is not there."""
    function = {"name": name, "arguments": arguments}
    entry = {"index": index, "id": call_id, "function": {k: v for k, v in function.items() if v is not None}}
    return {key: value for key, value in entry.items() if value is not None}


def tc(index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> bytes:
    """A record with one piece of a call."""
    return oa({"tool_calls": [piece(index, call_id, name, arguments)]})


STOP = oa({}, "stop") + DONE
TOOLS = oa({}, "tool_calls") + DONE


def prose(*pieces: str) -> bytes:
    """A whole answer of text."""
    return say(*pieces) + STOP


def play(*calls: Any, driver: str = "astream-asyncio", **parts: Any) -> Observed:
    """A turn whose model calls are answered by these bodies, over HTTP."""
    return Play(driver, "http")(*calls, **parts)


def told(observed: Observed) -> list[Message]:
    """The results of tools, in order."""
    return [message for message in observed.result.messages if message.role is Role.TOOL]


def sent(observed: Observed, index: int = -1) -> Any:
    """A request's body."""
    return json.loads(observed.requests[index])
