from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import BaseModel

from finalturn import (
    Agent,
    AgentResult,
    ContentPart,
    Message,
    Role,
    StructuredOutputConfig,
    ToolCall,
    ToolError,
    tool,
)
from finalturn._core.tool_outcome import ToolFailure
from finalturn._serve.formats import schemas as schemas
from finalturn._serve.formats.public import public_call, public_message, public_result, public_tool_message
from finalturn.providers import Scripted
from tests.serve._valid import accepts, check


class Ticket(BaseModel):
    topic: str


def never(messages: object, text: str) -> bool:
    return False


@tool
def look(number: str) -> str:
    if number == "A-9":
        raise ToolError("no such order")
    return f"{number} has left."


def agent(*calls: Any, **more: Any) -> Agent[Any]:
    config = StructuredOutputConfig(final_turn_only=True, max_validation_retries=0)
    more = {"response_format": Ticket, "structured_output": config, **more}
    return Agent(Scripted(*calls), tools=[look], **more)


TURNS = {
    "ok": agent("Hello.", '{"topic":"t"}'),
    "reuse": agent('{"topic":"t"}'),
    "validation_failed": agent("Hello.", "no"),
    "skipped": agent(
        "Hello.",
        structured_output=StructuredOutputConfig(final_turn_only=True, should_finalize=never),
    ),
    "not_attempted": agent([Scripted.call("look", {"number": "A-1"})], max_iterations=1),
    "plain": agent("Hello.", response_format=None, structured_output=StructuredOutputConfig()),
    "tools": agent(
        ["Let me look.", Scripted.call("look", {"number": "A-1"}), Scripted.call("look", {"number": "A-9"})],
        [Scripted.call("look", {"wrong": 1}), Scripted.call("nothing", {})],
        [ToolCall("look", {}, error="cut")],
        "Done.",
        '{"topic":"t"}',
    ),
}


@pytest.mark.parametrize("turn", TURNS)
def test_every_result_is_declared(turn: str) -> None:
    result: AgentResult[Any] = TURNS[turn].run("hi")
    assert turn in (result.structured_status, "reuse", "plain", "tools")
    check(schemas.Result, {"run_id": "r", **public_result(result)})


IMAGES = (ContentPart.image_url("https://example.com/a.png"), ContentPart.image_base64("aGk=", "image/png"))
CALLS = (ToolCall("look", {"number": "A-1"}, "call_1"), ToolCall("look"), ToolCall("look", error="cut"))
MESSAGES = [
    Message.system("Be kind."),
    Message.user("hi"),
    Message.user("look", *IMAGES),
    Message.assistant("hello"),
    Message.assistant("", tool_calls=CALLS),
    Message(Role.ASSISTANT, "It left.", structured='{"topic":"t"}', content_parts=IMAGES),
    Message(Role.TOOL, "ok", tool_name="look", tool_call_id="call_1", tool_result="ok"),
    Message(Role.TOOL, "old", tool_name="look"),
    *(Message(Role.TOOL, "why", tool_name="look", tool_failure=failure) for failure in get_args(ToolFailure)),
]


def test_every_message_is_declared() -> None:
    for message in MESSAGES:
        check(schemas.Message, public_message(message))
        if message.role is Role.TOOL:
            check(schemas.ToolMessage, public_tool_message(message))


@pytest.mark.parametrize("call", CALLS)
def test_every_call_is_declared(call: ToolCall) -> None:
    check(schemas.ToolCall, public_call(call))


@pytest.mark.parametrize("field", ["role", "content", "tool_result", "tool_failure"])
def test_a_message_without_one_of_its_fields_is_not(field: str) -> None:
    sent = public_message(MESSAGES[6])
    del sent[field]
    assert not accepts(schemas.Message, sent)


def test_what_only_the_server_knows_is_not_declared() -> None:
    assert not accepts(schemas.ToolCall, {**public_call(CALLS[0]), "provider_data": {}})
