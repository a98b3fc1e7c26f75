"""The rules that conversations are checked by find what they are there for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from finalturn import ContentPart, Message, ModelRequest, Role, ToolCall, ToolSpec
from tests.providers._history_rules_encoders import ENCODERS, Body, Encoder

pytest.importorskip("botocore")

IMAGE = ContentPart.image_base64("aGk=", "image/png")
TOOLS = [ToolSpec("look", "Looks.", {"type": "object", "properties": {}})]
SOUND = ModelRequest(
    [
        Message.user("Look.", IMAGE),
        Message.assistant(
            "Wait.", tool_calls=[ToolCall("look", {}, "abcdefgh1"), ToolCall("look", {}, "abcdefgh2")]
        ),
        Message(Role.TOOL, "seen", tool_name="look", tool_call_id="abcdefgh1", tool_result="seen"),
        Message(Role.TOOL, "failed", tool_name="look", tool_call_id="abcdefgh2"),
        Message.assistant("Seen."),
        Message.user("And now?"),
    ],
    "Be brief.",
    TOOLS,
)

Damage = Callable[[Any], object]

CHAT: dict[str, Damage] = {
    "a result is missing": lambda m: m.pop(3),
    "a call is missing": lambda m: m[2]["tool_calls"].pop(),
    "the results stand elsewhere": lambda m: m.append(m.pop(3)),
    "ids are the same": lambda m: m[2]["tool_calls"][0].update(id="abcdefgh2"),
    "no name": lambda m: m[2]["tool_calls"][0]["function"].update(name=""),
    "arguments are no object": lambda m: m[2]["tool_calls"][0]["function"].update(arguments="[]"),
    "blank text": lambda m: m[-1].update(content=" "),
    "a blank part": lambda m: m[1]["content"][0].update(text=" "),
    "an unknown role": lambda m: m[-1].update(role="robot"),
}
STRICT: dict[str, Damage] = {
    "users in a row": lambda m: m.append(m[-1]),
    "the model comes last": lambda m: m.pop(),
    "a system message at the end": lambda m: m.append(m[0]),
    "a user behind a result": lambda m: m.pop(5),
}
ANTHROPIC: dict[str, Damage] = {
    "a result is missing": lambda m: m[2]["content"].pop(),
    "a call is missing": lambda m: m[1]["content"].pop(),
    "text before results": lambda m: m[2]["content"].insert(0, {"type": "text", "text": "x"}),
    "the model begins": lambda m: m.pop(0),
    "the model comes last": lambda m: m.pop(),
    "ids are the same": lambda m: m[1]["content"][1].update(id="abcdefgh2"),
    "an id of other characters": lambda m: (
        m[1]["content"][1].update(id="a.b"),
        m[2]["content"][0].update(tool_use_id="a.b"),
    ),
    "no name": lambda m: m[1]["content"][1].update(name=""),
    "an input that is no object": lambda m: m[1]["content"][1].update(input=[]),
    "blank text": lambda m: m[-1]["content"][0].update(text=" "),
    "nothing in it": lambda m: m[-1].update(content=[]),
    "an image of the model": lambda m: m[1]["content"].append(m[0]["content"][1]),
    "an error without words": lambda m: m[2]["content"][1].update(content=""),
    "a thought without a signature": lambda m: m[1]["content"].insert(
        0, {"type": "thinking", "thinking": "x"}
    ),
}
GEMINI: dict[str, Damage] = {
    "a result is missing": lambda c: c[2]["parts"].pop(),
    "a call is missing": lambda c: c[1]["parts"].pop(),
    "text beside results": lambda c: c[2]["parts"].append({"text": "x"}),
    "the model begins": lambda c: c.pop(0),
    "the model comes last": lambda c: c.pop(),
    "no name": lambda c: c[1]["parts"][1]["functionCall"].update(name="-"),
    "args that are no object": lambda c: c[1]["parts"][1]["functionCall"].update(args=[]),
    "an id on one side": lambda c: c[1]["parts"][1]["functionCall"].update(id="x"),
    "empty text": lambda c: c[-1]["parts"][0].update(text=""),
    "nothing in it": lambda c: c[-1].update(parts=[]),
    "an image of the model": lambda c: c[1]["parts"].append(c[0]["parts"][1]),
    "two in one part": lambda c: c[0]["parts"][0].update(c[0]["parts"][1]),
}
RESPONSES: dict[str, Damage] = {
    "a result is missing": lambda i: i.pop(4),
    "a call is missing": lambda i: i.pop(2),
    "the results stand elsewhere": lambda i: i.append(i.pop(4)),
    "ids are the same": lambda i: i[-2].update(id=i[1]["id"]),
    "no name": lambda i: i[2].update(name=""),
    "an id that is too long": lambda i: (i[2].update(call_id="x" * 65), i[4].update(call_id="x" * 65)),
    "arguments are no object": lambda i: i[2].update(arguments="[]"),
    "blank text": lambda i: i[-1].update(content=" "),
    "a foreign thought": lambda i: i.insert(
        2, {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
    ),
    "an image of the model": lambda i: i[1]["content"].append(i[0]["content"][1]),
}
BEDROCK: dict[str, Damage] = {
    "a result is missing": lambda m: m[2]["content"].pop(),
    "a call is missing": lambda m: m[1]["content"].pop(),
    "the model begins": lambda m: m.pop(0),
    "the model comes last": lambda m: m.pop(),
    "ids are the same": lambda m: m[1]["content"][1]["toolUse"].update(toolUseId="abcdefgh2"),
    "no name": lambda m: m[1]["content"][1]["toolUse"].update(name=""),
    "an input that is no object": lambda m: m[1]["content"][1]["toolUse"].update(input=[]),
    "blank text": lambda m: m[-1]["content"][0].update(text=" "),
    "nothing in it": lambda m: m[-1].update(content=[]),
    "a result of nothing": lambda m: m[2]["content"][0]["toolResult"].update(content=[]),
    "a field that the service does not know": lambda m: m[0].update(name="x"),
    "an image of the model": lambda m: m[1]["content"].append(m[0]["content"][1]),
}
ALONE: dict[str, Damage] = {
    "text beside results": lambda m: m[2]["content"].append({"text": "x"}),
    "a status": lambda m: m[2]["content"][0]["toolResult"].update(status="error"),
}

DAMAGES: list[tuple[str, str, dict[str, Damage]]] = [
    ("openai", "messages", CHAT),
    ("mistral", "messages", CHAT),
    ("mistral", "messages", STRICT),
    ("deepseek", "messages", {"no reasoning": lambda m: m[2].pop("reasoning_content")}),
    ("anthropic", "messages", ANTHROPIC),
    ("gemini, given", "contents", GEMINI),
    ("gemini, filled", "contents", {"no signature": lambda c: c[1]["parts"][1].pop("thoughtSignature")}),
    ("responses", "input", RESPONSES),
    ("bedrock, claude", "messages", BEDROCK),
    ("bedrock, mistral", "messages", ALONE),
]


def written(encoder: Encoder) -> Body:
    found: Body = json.loads(json.dumps(encoder.encode(SOUND)))
    return found


def test_what_is_sound_is_found_sound() -> None:
    for name in ENCODERS:
        assert ENCODERS[name].found(SOUND) == [], name


@pytest.mark.parametrize(("name", "field", "damages"), DAMAGES)
def test_what_is_damaged_is_found(name: str, field: str, damages: dict[str, Damage]) -> None:
    encoder = ENCODERS[name]
    for what, damage in damages.items():
        body = written(encoder)
        damage(body[field])
        assert list(encoder.problems(body)) != [], what
