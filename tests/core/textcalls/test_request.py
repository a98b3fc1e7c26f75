"""A request as a provider without native tools gets it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.json_text import decode
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._core.textcalls import TextToolCalls, as_text, block_of

LOOKUP = ToolSpec("lookup", "Finds an order.", {"type": "object", "properties": {"id": {"type": "string"}}})
CLOCK = ToolSpec("clock", "Tells the time.", {"type": "object"})


def request(*messages: Message, **fields: Any) -> ModelRequest:
    return ModelRequest(messages or (Message.user("Hi"),), **fields)


class TestTheSystemPrompt:
    def test_tools_stand_behind_it(self) -> None:
        given_request = request(system="Be brief.", tools=(LOOKUP, CLOCK))
        written = as_text(given_request)
        assert written.system.startswith("Be brief.\n\n")
        assert written.tools == ()
        lines = written.system.splitlines()
        described = [decode(line) for line in lines if line.startswith("{")]
        assert described == [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in (LOOKUP, CLOCK)
        ]

    def test_they_are_all_of_it_when_there_is_none(self) -> None:
        assert as_text(request(tools=(CLOCK,))).system.startswith("You can call these tools.")

    @pytest.mark.parametrize("tool", [LOOKUP, CLOCK])
    def test_the_example_in_it_is_a_call(self, tool: ToolSpec) -> None:
        calls = TextToolCalls([tool.name])
        calls.feed(as_text(request(tools=(tool,))).system)
        (example,) = calls.finish()[1]
        assert (example.name, example.error) == (tool.name, None)
        assert set(example.arguments) == set(tool.parameters.get("properties", {}))

    def test_a_demand_for_a_call_becomes_a_sentence(self) -> None:
        settings = ModelSettings(temperature=0.5, tool_choice="required")
        written = as_text(request(tools=(CLOCK,), settings=settings))
        assert written.system.endswith("Now call a tool.")
        assert written.settings == ModelSettings(temperature=0.5)

    def test_tools_that_must_not_be_called_are_not_told_of(self) -> None:
        written = as_text(request(system="S", tools=(CLOCK,), settings=ModelSettings(tool_choice="none")))
        assert (written.system, written.tools, written.settings) == ("S", (), ModelSettings())

    def test_without_tools_it_is_unchanged(self) -> None:
        assert as_text(request(system="S")) == request(system="S")

    def test_everything_else_of_the_request_stays(self) -> None:
        output = OutputSchema("answer", {"type": "object"})
        written = as_text(request(tools=(CLOCK,), output=output, call=3))
        assert (written.output, written.call) == (output, 3)


class TestTheConversation:
    def test_calls_are_blocks_and_results_are_plain_words(self) -> None:
        calls = (ToolCall("lookup", {"id": "A"}, id="c1"), ToolCall("clock", id="c2"))
        written = as_text(
            request(
                Message.user("Where is it?"),
                Message.assistant("Let me look.\n", tool_calls=calls),
                Message(Role.TOOL, "shipped", tool_name="lookup", tool_call_id="c1", tool_result="shipped"),
                Message(Role.TOOL, "Timed out.", tool_name="clock", tool_call_id="c2"),
                Message.assistant("Shipped."),
            )
        )
        assert written.messages == (
            Message.user("Where is it?"),
            Message.assistant(f"Let me look.\n{block_of(calls[0])}\n{block_of(calls[1])}"),
            Message.user("The tool lookup answered: shipped\n\nThe tool clock answered: Timed out."),
            Message.assistant("Shipped."),
        )

    def test_a_message_of_calls_alone_is_their_blocks(self) -> None:
        call = ToolCall("clock")
        written = as_text(request(Message.assistant(" \n", tool_calls=[call])))
        assert written.messages == (Message.assistant(block_of(call)),)

    def test_results_of_different_messages_stay_apart(self) -> None:
        result = Message(Role.TOOL, "noon", tool_name="clock", tool_result="noon")
        call = Message.assistant("", tool_calls=[ToolCall("clock")])
        assert len(as_text(request(call, result, call, result)).messages) == 4

    def test_a_result_without_a_name_and_its_images_are_kept(self) -> None:
        image = ContentPart.image_url("https://example.com/a.png")
        written = as_text(request(Message(Role.TOOL, "see", content_parts=(image,))))
        assert written.messages == (Message.user("The tool answered: see", image),)

    def test_other_messages_are_the_same_objects(self) -> None:
        messages = (Message.system("S"), Message.user("U"), Message.assistant("A"))
        written = as_text(request(*messages))
        assert all(a is b for a, b in zip(written.messages, messages, strict=True))


class TestBlocks:
    def test_the_arguments_are_the_models_own_text(self) -> None:
        assert '{"n": 1.0}' in block_of(ToolCall("f", {"n": 1.0}, _text='{"n": 1.0}'))

    def test_a_malformed_call_is_written_with_an_empty_object(self) -> None:
        call = ToolCall("f", error="cut", _text='{"n": tr')
        assert block_of(call) == '<tool_call>{"name": "f", "arguments": {}}</tool_call>'

    @given(
        st.text(min_size=1),
        st.dictionaries(st.text(), st.text() | st.integers()),
    )
    def test_a_block_is_read_back_as_its_call(self, name: str, arguments: dict[str, str | int]) -> None:
        call = ToolCall(name, arguments)
        calls = TextToolCalls([name])
        shown = calls.feed(block_of(call))
        rest, (found,) = calls.finish()
        assert shown + rest == ""
        assert found.error is None
        assert found.arguments == decode(call.arguments_json())
