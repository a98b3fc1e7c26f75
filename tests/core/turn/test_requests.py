"""What each model call is asked."""

from __future__ import annotations

from typing import Any

from finalturn._core.messages import Message, Role
from finalturn._core.model import ModelSettings, ToolSpec
from finalturn._core.turn import Mode
from tests.core.turn._turns import INVALID, OUTPUT, USER, VALID, asks, play, says, setup

TOOL = ToolSpec("f", "does it", {"type": "object"})
PARTS: dict[str, Any] = {
    "history": [Message.user("before"), Message.assistant("yes")],
    "injections": (Message.system("today is monday"),),
    "system": "be brief",
    "tools": (TOOL,),
}


def test_a_loop_request_holds_the_conversation() -> None:
    request = play(setup(**PARTS), says("hello")).requests[0]
    assert [m.content for m in request.messages] == ["before", "yes", "today is monday", "hi"]
    assert (request.system, request.tools, request.output, request.call) == ("be brief", (TOOL,), None, 0)


def test_the_schema_stays_out_of_the_loop() -> None:
    played = play(
        setup(Mode.FINAL_TURN, native_synthesis=True, **PARTS), asks("f"), says("prose"), says(VALID)
    )
    first, second, synthesis = played.requests
    assert (first.output, second.output, first.system, second.system) == (None, None, "be brief", "be brief")
    assert synthesis.output is not None and synthesis.output.schema == OUTPUT.schema
    assert (synthesis.tools, synthesis.call) == ((), 2)
    assert '"x"' not in str([m.to_dict() for m in synthesis.messages])


def test_a_synthesis_request_ends_with_one_instruction() -> None:
    request = play(setup(Mode.FINAL_TURN, **PARTS), says("prose"), says(VALID)).requests[1]
    assert [m.role for m in request.messages[-2:]] == [Role.ASSISTANT, Role.USER]
    assert request.messages[-2].content == "prose"
    assert '"x"' in request.messages[-1].content
    assert request.system == "be brief"
    blank = play(setup(Mode.FINAL_TURN), says(" "), says(VALID)).requests[1]
    assert [m.role for m in blank.messages] == [Role.USER, Role.USER]


def test_a_retry_adds_the_last_rejected_answer_only() -> None:
    played = play(setup(Mode.FINAL_TURN), says("prose"), says("first"), says(INVALID), says(VALID))
    synthesis, second, third = played.requests[1:]
    assert second.messages[:-2] == synthesis.messages
    assert second.messages[-2].content == "first"
    assert third.messages[:-2] == synthesis.messages
    assert third.messages[-2].content == INVALID
    assert "int_parsing" in third.messages[-1].content
    empty = play(setup(Mode.FINAL_TURN), says("prose"), says(""), says(VALID)).requests[2]
    assert empty.messages[:-1] == synthesis.messages


def test_default_mode_says_the_schema() -> None:
    native = play(setup(Mode.DEFAULT, native_loop=True), says(VALID)).requests[0]
    assert native.output is not None and native.system == ""
    prompted = play(setup(Mode.DEFAULT), says(VALID)).requests[0]
    assert prompted.output is None and '"x"' in prompted.system
    both = play(setup(Mode.DEFAULT, system="be brief"), says(VALID)).requests[0]
    assert both.system.startswith("be brief\n\n")


def test_default_mode_forgets_a_rejected_answer_once_tools_run() -> None:
    played = play(setup(Mode.DEFAULT), says(INVALID), asks("f"), says(VALID))
    corrected, after_tools = played.requests[1:]
    assert [m.content for m in corrected.messages[:2]] == ["hi", INVALID]
    assert [m.role for m in after_tools.messages] == [Role.USER, Role.ASSISTANT, Role.TOOL]


def test_a_demanded_tool_call_is_demanded_until_one_has_run() -> None:
    settings = ModelSettings(tool_choice="required", temperature=0.5)
    played = play(setup(Mode.FINAL_TURN, settings=settings), asks("f"), says("prose"), says(VALID))
    choices = [request.settings.tool_choice for request in played.requests]
    assert choices == ["required", "auto", None]
    assert {request.settings.temperature for request in played.requests} == {0.5}


def test_messages_start_with_this_turns_user_messages() -> None:
    done = play(setup(Mode.FINAL_TURN, **PARTS), says("prose"), says(VALID)).done
    assert done.messages[:1] == USER
    assert [m.role for m in done.messages] == [Role.USER, Role.ASSISTANT]
