"""What OpenAI's Responses API refuses a conversation for.

After its reference, "Create a model response", and what the API says when it refuses ("No tool output found
for function call", "No tool call found for function call output", "Item 'rs_...' of type 'reasoning' was
provided without its required following item", "Duplicate item found").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
IMAGE = re.compile(r"https?://.+|data:image/[a-z]+;base64,[A-Za-z0-9+/=]+")


def problems(body: dict[str, Any], *, sealed: str = "") -> Iterator[str]:
    """What is wrong with a request's items.

    Args:
        sealed: the encrypted content of this server's reasoning; ``""`` where none can come from it.
    """
    items: list[dict[str, Any]] = body["input"]
    ids = [item["id"] for item in items if "id" in item]
    if len(set(ids)) != len(ids):
        yield "ids that are the same"
    due: list[str] = []
    for place, item in enumerate(items):
        kind = item.get("type", "message")
        following = items[place + 1] if place + 1 < len(items) else {}
        if kind == "function_call_output":
            if item["call_id"] not in due:
                yield f"{place}: a result of no call before it"
            else:
                due.remove(item["call_id"])
            if not isinstance(item["output"], str):
                yield f"{place}: a result that is no text"
            continue
        if due and kind == "message":
            yield f"{place}: calls without results {due}"
        if kind == "function_call":
            due.append(item["call_id"])
            yield from (f"{place}: {problem}" for problem in _of_call(item))
        elif kind == "reasoning":
            if not sealed or item["encrypted_content"] != sealed:
                yield f"{place}: a thought of somebody else"
            if following.get("type") not in ("function_call", "reasoning", "message"):
                yield f"{place}: a thought without what follows"
        elif kind == "message":
            yield from (f"{place}: {problem}" for problem in _of_message(item))
        else:
            yield f"{place}: an item {kind}"
    if due:
        yield "calls without results at the end"


def _of_call(item: dict[str, Any]) -> Iterator[str]:
    if not 1 <= len(item["call_id"]) <= 64:
        yield f"id {item['call_id']!r}"
    if not NAME.fullmatch(item["name"]):
        yield f"name {item['name']!r}"
    if not isinstance(json.loads(item["arguments"]), dict):
        yield "arguments that are no object"


def _of_message(item: dict[str, Any]) -> Iterator[str]:
    role, content = item["role"], item["content"]
    if role not in ("user", "assistant", "system", "developer"):
        yield f"role {role}"
    if not content or (isinstance(content, str) and not content.strip()):
        yield "nothing in it"
    if role == "assistant" and not str(item.get("id", "")).startswith("msg_"):
        yield "an output message without an id"
    for part in cast("list[dict[str, Any]]", content if isinstance(content, list) else []):
        text = "output_text" if role == "assistant" else "input_text"
        if part["type"] == text and not part["text"].strip():
            yield "blank text"
        elif part["type"] == "input_image" and (role != "user" or not IMAGE.fullmatch(part["image_url"])):
            yield "an image from nowhere"
        elif part["type"] not in (text, "input_image"):
            yield f"a part {part['type']}"
