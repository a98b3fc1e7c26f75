"""Cases on requests: every history is taken, and nothing of it is changed."""

from __future__ import annotations

from typing import Any

from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings
from finalturn._testing.conformance import needs as needs
from finalturn._testing.conformance.answers import says
from finalturn._testing.conformance.bench import Answered, Bench, UnansweredError
from finalturn._testing.conformance.case import Case, Check, expect, expect_equal
from finalturn._testing.conformance.scene import LOOKUP, PROSE, TICKET_JSON, fresh, ticket

IMAGE = "enE3eGltYWdl"  # base64 of a word
ASKED = Message.user("Where is my order?")


def _call(call_id: str | None, name: str = LOOKUP.name) -> ToolCall:
    return ToolCall(name, {"zq7xorder": "A-1"}, call_id)


def _result(call_id: str | None, text: str = "It is sent.", name: str | None = LOOKUP.name) -> Message:
    return Message(Role.TOOL, text, tool_name=name, tool_call_id=call_id, tool_result=text)


_FAILED = Message(Role.TOOL, "No such order.", tool_name=LOOKUP.name, tool_call_id="call_1")

HISTORIES: dict[str, list[Message]] = {
    "tool-result": [ASKED, Message.assistant("", tool_calls=[_call("call_1")]), _result("call_1")],
    "failed-tool": [ASKED, Message.assistant("Wait.", tool_calls=[_call("call_1")]), _FAILED],
    "empty-result": [ASKED, Message.assistant("", tool_calls=[_call("call_1")]), _result("call_1", "")],
    "structured-answer": [ASKED, Message(Role.ASSISTANT, "", structured=TICKET_JSON)],
    "empty-answer": [ASKED, Message.assistant("")],
    "system-in-between": [ASKED, Message.assistant("Yes?"), Message.system("It is late.")],
    "call-without-result": [ASKED, Message.assistant("", tool_calls=[_call("call_1"), _call("call_2")])],
    "result-without-call": [ASKED, _result("call_1"), Message.assistant("It is sent.")],
    "written-call": [ASKED, Message.assistant("", tool_calls=[_call(None)]), _result(None)],
    "odd-name": [
        ASKED,
        Message.assistant("", tool_calls=[_call("call_1", "look up!"), _call("call_2", "")]),
        _result("call_1", name="look up!"),
        _result("call_2", name=None),
    ],
}


def _takes(history: list[Message]) -> Check:
    async def check(bench: Bench) -> None:
        request = ModelRequest([*history, Message.user("And now?")], "Be brief.", fresh(LOOKUP))
        error = (await bench.ask(request)).error
        if error is not None:
            raise UnansweredError(f"such a history raised {type(error).__name__}") from error

    return check


async def _nothing_is_changed(bench: Bench) -> None:
    call = ToolCall(LOOKUP.name, {"zq7xorder": "A-1"}, "call_1")
    history = [ASKED, Message.assistant("", tool_calls=[call]), _result("call_1")]
    settings = ModelSettings(max_tokens=500, stop=["<end>"])
    output = ticket() if bench.capabilities.native_schema_with_tools else None
    request = ModelRequest(history, "Be brief.", fresh(LOOKUP), output, settings)
    before = _snapshot(request)
    await bench.ask(request)
    expect_equal(_snapshot(request), before, "the request, after the call")


def _snapshot(request: ModelRequest) -> dict[str, Any]:
    settings = request.settings
    return {
        "messages": [message.to_dict() for message in request.messages],
        "system": request.system,
        "output": None if request.output is None else repr(request.output.schema),
        "tools": [(tool.name, tool.description, repr(tool.parameters)) for tool in request.tools],
        "settings": (
            settings.max_tokens,
            [*(settings.stop or ())],
            settings.tool_choice,
            settings.temperature,
        ),
    }


async def _image_is_sent(bench: Bench) -> None:
    image = ContentPart.image_base64(IMAGE, "image/png")
    answered: Answered = await bench.ask(ModelRequest([Message.user("What is it?", image)]))
    answered.well()
    expect(IMAGE in (bench.hooks.sent() or [""])[0], "the provider declares images, and does not send them")


REQUEST_CASES = (
    *(
        Case("history-replayable", name, (says(*PROSE),), _takes(history))
        for name, history in HISTORIES.items()
    ),
    Case("seeded-messages-untouched", "request", (says(*PROSE),), _nothing_is_changed),
    Case(
        "seeded-messages-untouched",
        "image",
        (says(*PROSE),),
        _image_is_sent,
        (needs.images, needs.sent),
    ),
)
