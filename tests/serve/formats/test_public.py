from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, get_args

import pytest
from pydantic import BaseModel, Field, PlainSerializer, TypeAdapter

from finalturn import AgentResult, ContentPart, Message, Role, ToolCall, ToolFailure, Usage
from finalturn._core.result import ProviderSwitch
from finalturn._serve.formats.public import (
    parsed_writer,
    public_call,
    public_message,
    public_result,
    public_tool_message,
)
from tests.serve._agents import SECRET


def failed(kind: ToolFailure | None) -> Message:
    return Message(Role.TOOL, SECRET, tool_name="look", tool_call_id="c1", tool_failure=kind)


@pytest.mark.parametrize("kind", [*get_args(ToolFailure), None])
def test_of_a_failure_only_a_tool_errors_text_is_seen(kind: ToolFailure | None) -> None:
    found = public_tool_message(failed(kind))
    assert found["tool_result"] is None
    assert found["tool_failure"] == (kind or "error")
    assert (found["content"] == SECRET) == (kind == "tool_error")
    assert found["tool_name"] == "look" and found["tool_call_id"] == "c1"


def test_a_result_is_seen_the_empty_one_too() -> None:
    found = public_tool_message(Message(Role.TOOL, "", tool_name="look", tool_result=""))
    assert (found["content"], found["tool_result"], found["tool_failure"]) == ("", "", None)


def test_a_call_is_seen_without_what_its_provider_wants_back() -> None:
    call = ToolCall("look", {"a": [1]}, id="c1", error=SECRET, provider_data={"signature": SECRET})
    found = public_call(call)
    assert found == {
        "name": "look",
        "arguments": {"a": [1]},
        "id": "c1",
        "error": "the arguments were not valid",
    }
    assert type(found["arguments"]["a"]) is list


def test_other_messages() -> None:
    image = ContentPart.image_url("https://example.com/a.png")
    assert public_message(Message.user("Hi", image)) == {
        "role": "user",
        "content": "Hi",
        "content_parts": [{"kind": "image", "url": "https://example.com/a.png"}],
    }
    answer = Message(Role.ASSISTANT, "Done.", (ToolCall("look"),), structured="{}")
    assert public_message(answer) == {
        "role": "assistant",
        "content": "Done.",
        "tool_calls": [{"name": "look", "arguments": {}, "id": None, "error": None}],
        "structured": "{}",
    }


class Order(BaseModel):
    number: int
    price: Decimal
    at: datetime = Field(alias="placedAt")


def result(parsed: Any) -> AgentResult[Any]:
    switch = ProviderSwitch(0, SECRET, SECRET, SECRET, 500, SECRET)
    return AgentResult(
        message=None,
        content="{}",
        parsed=parsed,
        structured_status="ok",
        structured_error=None,
        text="Hi",
        messages=(Message.user("Hello"), failed("error")),
        tool_calls=(ToolCall("look"),),
        usage=Usage(1, 2, 3, 4, 5, 6),
        model_calls=2,
        answer_call=1,
        stop_reason="completed",
        switches=(switch,),
    )


def test_a_result() -> None:
    order = Order(number=9007199254740993, price=Decimal("1.10"), placedAt=datetime(2026, 1, 2, tzinfo=UTC))
    found = public_result(result(order))
    assert found["parsed"] == {
        "number": 9007199254740993,
        "price": "1.10",
        "placedAt": "2026-01-02T00:00:00Z",
    }
    assert SECRET not in json.dumps(found)
    assert found["usage"] == {
        "input_tokens": 1,
        "cached_tokens": 2,
        "output_tokens": 3,
        "reasoning_tokens": 4,
        "total_tokens": 5,
        "unreported_calls": 6,
    }


def test_a_type_adapters_own_serialiser_is_used() -> None:
    backwards = TypeAdapter(Annotated[str, PlainSerializer(lambda text: text[::-1])])
    assert public_result(result("abc"), parsed_writer(backwards))["parsed"] == "cba"
    assert public_result(result(None), parsed_writer(backwards))["parsed"] is None
    assert public_result(result("abc"), parsed_writer(Order))["parsed"] == "abc"


class Holds(BaseModel):
    fine: int = 1
    thing: object = Field(default_factory=object)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (object(), "the value has no JSON form (PydanticSerializationError); content has the answer as text"),
        (b"\xff", "the value has no JSON form (UnicodeDecodeError); content has the answer as text"),
        ([10**5000], "the value has no JSON form (MessageFormatError); content has the answer as text"),
        (
            Holds(),
            "its field 'thing' has no JSON form (PydanticSerializationError); content has the answer as text",
        ),
    ],
)
def test_what_has_no_json_form_is_null_and_says_why(value: object, error: str) -> None:
    found = public_result(result(value))
    assert (found["parsed"], found["parsed_error"]) == (None, error)
    assert found["structured_status"] == "ok"
    assert public_result(result("abc"))["parsed_error"] is None
