"""Tools that note what has run, and a strict reader of what is sent back."""

from __future__ import annotations

import json
import re
from typing import Any

from finalturn._tools import Tool

Ran = list[tuple[str, dict[str, Any]]]


def recording(*names: str) -> tuple[Ran, list[Tool[..., Any]]]:
    """Tools of these names that take any arguments; and a list of what has run."""
    ran: Ran = []

    def make(name: str) -> Tool[..., Any]:
        def run(**arguments: Any) -> str:
            ran.append((name, arguments))
            return f"{name} is done"

        return Tool.from_schema(name, f"Does {name}.", {"type": "object"}, run)

    return ran, [make(name) for name in names]


def check_replayed(messages: list[dict[str, Any]]) -> None:
    """A request's messages are what a strict server accepts."""
    due: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == due.pop(0)
            assert isinstance(message["content"], str)
            continue
        assert due == [], "a call has no result"
        calls = message.get("tool_calls", [])
        assert calls or message["content"], "an empty message"
        for call in calls:
            assert call["id"] and call["id"] not in due
            due.append(call["id"])
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert due == []
