"""What Google refuses a conversation for.

After the reference of `Content` and `Part`, the guides "Function calling" and "Thought signatures", and what
the API says when it refuses ("ensure that function call turn comes immediately after a user turn or after a
function response turn", "the number of function response parts is equal to the number of function call
parts", "must include at least one parts field").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
DATA = ("text", "inlineData", "fileData", "functionCall", "functionResponse")


def problems(body: dict[str, Any], *, signed: bool = False) -> Iterator[str]:
    """What is wrong with a request's contents.

    Args:
        signed: the first call of each response must have a signature.
    """
    contents: list[dict[str, Any]] = body["contents"]
    if not contents or contents[0]["role"] != "user" or contents[-1]["role"] != "user":
        yield "not begun or not ended by the user"
    for part in body.get("systemInstruction", {"parts": [{"text": "x"}]})["parts"]:
        if not part["text"]:
            yield "an empty system instruction"
    due: list[dict[str, Any]] = []
    for place, content in enumerate(contents):
        parts = content["parts"]
        if not parts:
            yield f"{place}: nothing in it"
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if [_key(call) for call in due] != [_key(result) for result in results]:
            yield f"{place}: results {results} of calls {due}"
        if results and len(results) != len(parts):
            yield f"{place}: something beside results"
        if calls and contents[place - 1]["role"] != "user":
            yield f"{place}: calls behind the model"
        if signed and calls:
            first = next(part for part in parts if "functionCall" in part)
            if not first.get("thoughtSignature"):
                yield f"{place}: a first call without a signature"
        due = calls
        for part in parts:
            yield from (f"{place}: {problem}" for problem in _of_part(part, content["role"]))
    if due:
        yield "calls without results at the end"


def _key(named: dict[str, Any]) -> tuple[str, str | None]:
    return named["name"], named.get("id")


def _of_part(part: dict[str, Any], role: str) -> Iterator[str]:
    kinds = [kind for kind in DATA if kind in part]
    if len(kinds) != 1 or role not in ("user", "model"):
        yield f"a part of {kinds} by {role}"
    kind = kinds[0]
    if kind != "text" and role != ("model" if kind == "functionCall" else "user"):
        yield f"{kind} of the {role}"
    if kind == "text" and not part["text"]:
        yield "empty text"
    if kind in ("functionCall", "functionResponse"):
        named = part[kind]
        if not NAME.fullmatch(named["name"]):
            yield f"name {named['name']!r}"
        if not isinstance(named["args" if kind == "functionCall" else "response"], dict):
            yield "args or a response that are no object"
        if "id" in named and not (isinstance(named["id"], str) and named["id"]):
            yield "an id that is none"
    if "thoughtSignature" in part and (
        kind != "functionCall" or not isinstance(part["thoughtSignature"], str)
    ):
        yield "a signature that is none"
    if kind == "inlineData" and not (part[kind]["mimeType"].startswith("image/") and part[kind]["data"]):
        yield "an image that is none"
