"""What servers that speak chat completions refuse a conversation for.

After OpenAI's reference, "Create chat completion", and what its API says when it refuses; for strict order,
mistral-common (`protocol/instruct/validator.py`) and the chat templates of open models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from finalturn._providers.openai_chat.profile import Profile

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
IMAGE = re.compile(r"https?://.+|data:image/[a-z]+;base64,[A-Za-z0-9+/=]+")


def problems(body: dict[str, Any], profile: Profile) -> Iterator[str]:
    """What is wrong with a request's messages."""
    messages: list[dict[str, Any]] = body["messages"]
    due: list[str] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message.get("tool_call_id") not in due:
                yield f"{place}: a result of no call before it"
            else:
                due.remove(message["tool_call_id"])
            if not isinstance(message["content"], str):
                yield f"{place}: a result that is no text"
            continue
        if due:
            yield f"{place}: calls without results {due}"
        due = [call["id"] for call in message.get("tool_calls", ())]
        if len(set(due)) != len(due):
            yield f"{place}: ids that are the same"
        yield from (f"{place}: {problem}" for problem in _of_message(message, profile))
    if due:
        yield "calls without results at the end"
    if profile.strict_roles:
        yield from _order([message["role"] for message in messages])


def _of_message(message: dict[str, Any], profile: Profile) -> Iterator[str]:
    role, content, calls = message["role"], message["content"], message.get("tool_calls")
    if role not in ("system", "user", "assistant"):
        yield f"role {role}"
    if calls is not None and (role != "assistant" or not calls):
        yield "calls of nobody"
    if content is None and not calls:
        yield "nothing in it"
    if isinstance(content, str) and not content.strip():
        yield "blank text"
    if isinstance(content, list):
        yield from _of_parts(role, message["content"])
    for call in calls or ():
        function = call["function"]
        if not profile.call_ids.fullmatch(call["id"]):
            yield f"id {call['id']!r}"
        if not NAME.fullmatch(function["name"]):
            yield f"name {function['name']!r}"
        if not isinstance(json.loads(function["arguments"]), dict):
            yield "arguments that are no object"
    if role == "assistant" and profile.replay_needed and profile.replay not in message:
        yield f"no {profile.replay}"


def _of_parts(role: str, parts: list[Any]) -> Iterator[str]:
    if role != "user" or not parts:
        yield "parts of nobody, or none"
    for part in parts:
        if part["type"] == "text" and not part["text"].strip():
            yield "a part of blank text"
        if part["type"] == "image_url" and not IMAGE.fullmatch(part["image_url"]["url"]):
            yield "an image from nowhere"


def _order(roles: list[str]) -> Iterator[str]:
    if "system" in roles[1:]:
        yield "a system message behind the start"
    for before, after in pairwise(roles):
        if after == "user" and before in ("user", "tool"):
            yield f"a user behind {before}"
    if roles[-1:] not in (["user"], ["tool"]):
        yield f"ended by {roles[-1:]}"
