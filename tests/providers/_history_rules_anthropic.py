"""What Anthropic refuses a conversation for.

After its reference, "Messages", its pages "Handle tool calls", "Vision" and "Extended thinking", and what its
API says when it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def problems(body: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a request's messages."""
    messages: list[dict[str, Any]] = body["messages"]
    roles = [message["role"] for message in messages]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"]:
        yield f"roles {roles}"
    if "system" in body and not body["system"].strip():
        yield "a blank system prompt"
    ids = [block["id"] for block in _blocks(messages, "tool_use")]
    if len(set(ids)) != len(ids):
        yield "ids that are the same"
    if ids and not body.get("tools"):
        yield "calls, and no tools"
    due: list[str] = []
    for place, message in enumerate(messages):
        content = message["content"]
        if not content:
            yield f"{place}: nothing in it"
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if sorted(results) != sorted(due):
            yield f"{place}: results {results} of calls {due}"
        if any(block["type"] != "tool_result" for block in content[: len(results)]):
            yield f"{place}: something before results"
        due = [block["id"] for block in content if block["type"] == "tool_use"]
        for block in content:
            yield from (f"{place}: {problem}" for problem in _of_block(block, message["role"]))


def _blocks(messages: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [block for message in messages for block in message["content"] if block["type"] == kind]


def _of_block(block: dict[str, Any], role: str) -> Iterator[str]:
    kind = block["type"]
    if kind not in ("text", "image", "tool_use", "tool_result", "thinking", "redacted_thinking"):
        yield f"a block {kind}"
    if role != ("user" if kind in ("image", "tool_result") else "assistant") and kind != "text":
        yield f"a block {kind} of the {role}"
    if kind == "text" and not block["text"].strip():
        yield "blank text"
    if kind == "image":
        yield from _of_image(block["source"])
    if kind == "tool_use":
        if not ID.fullmatch(block["id"]) or not NAME.fullmatch(block["name"]):
            yield f"a call {block['id']!r} of {block['name']!r}"
        if not isinstance(block["input"], dict):
            yield "an input that is no object"
    if kind == "tool_result" and isinstance(block["content"], list):
        if not block["content"] or block.get("is_error"):
            yield "a result that failed, with more than text; or with nothing"
        for part in cast("list[dict[str, Any]]", block["content"]):
            yield from _of_block(part, "user")
    if kind == "tool_result" and block.get("is_error") and block["content"] in ("", " "):
        yield "an error without words"
    if kind == "thinking" and not (block.get("signature") and isinstance(block["thinking"], str)):
        yield "a thought without a signature"


def _of_image(source: dict[str, Any]) -> Iterator[str]:
    if source["type"] == "base64" and (source["media_type"] not in IMAGES or not source["data"]):
        yield f"an image of type {source['media_type']}"
    if source["type"] == "url" and not source["url"].startswith("http"):
        yield "an image from nowhere"
