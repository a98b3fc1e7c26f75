"""What the chat template makes of a conversation."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import jinja2
import pytest

_TOOL = {
    "type": "function",
    "function": {
        "name": "find",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "count": {"type": "integer"},
                "share": {"type": "number"},
                "exact": {"type": "boolean"},
                "kind": {"enum": ["book", "film"]},
                "tags": {"type": "array"},
                "more": {"type": "object"},
            },
        },
    },
}
_CALL = {"function": {"name": "find", "arguments": {"text": "x"}}}


def render(*messages: dict[str, Any], tools: object = None, prompt: bool = True) -> str:
    source = files("finalturn._local").joinpath("chat_template.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.ChainableUndefined)
    return environment.from_string(source).render(
        messages=list(messages), tools=tools, add_generation_prompt=prompt
    )


def message(role: str, content: str | None, **more: object) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def test_a_conversation_without_tools_is_plain_chatml() -> None:
    assert render(message("user", "Hi"), message("assistant", "Ho"), message("user", "He")) == (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\nHo<|im_end|>\n"
        "<|im_start|>user\nHe<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_a_system_message_replaces_the_default_and_no_prompt_means_none() -> None:
    assert render(message("system", "Be brief."), message("user", "Hi"), prompt=False) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
    )


def test_tools_come_with_their_schema_and_one_example_call_of_fitting_types() -> None:
    text = render(message("system", "Be brief."), message("user", "Hi"), tools=[_TOOL])
    assert text.startswith("<|im_start|>system\nBe brief.\n\n# Tools\n")
    assert '"name": "find"' in text.partition("</tools>\n")[0]
    assert (
        '<tool_call>\n{"name": "find", "arguments": {"text": "Oslo", "count": 7, "share": 7, "exact": true, '
        '"kind": "book", "tags": [], "more": {}}}\n</tool_call><|im_end|>\n'
    ) in text
    assert text.endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.parametrize("function", [{"name": "ping"}, {"name": "ping", "parameters": {"type": "object"}}])
def test_a_tool_without_parameters_has_an_example_without_arguments(function: dict[str, Any]) -> None:
    text = render(message("user", "Hi"), tools=[{"type": "function", "function": function}])
    assert '{"name": "ping", "arguments": {}}' in text


@pytest.mark.parametrize(("content", "before"), [(None, ""), ("", ""), ("Let me see.", "Let me see.\n")])
def test_past_calls_are_shown_as_the_model_writes_them(content: str | None, before: str) -> None:
    text = render(message("assistant", content, tool_calls=[_CALL, _CALL]), message("user", "And?"))
    call = '<tool_call>\n{"name": "find", "arguments": {"text": "x"}}\n</tool_call>'
    assert f"<|im_start|>assistant\n{before}{call}\n{call}<|im_end|>\n" in text


def test_results_are_plain_text_in_one_turn_and_end_the_offer_of_tools() -> None:
    text = render(
        message("user", "Hi"),
        message("assistant", None, tool_calls=[_CALL, _CALL]),
        message("tool", "one"),
        message("tool", None),
        tools=[_TOOL],
    )
    assert "# Tools" not in text
    assert "<|im_start|>user\nThe tool answered: one\nThe tool answered: \nTell me in " in text
    assert text.count("Tell me in ") == 1


def test_results_of_an_earlier_turn_leave_the_tools_on_offer() -> None:
    text = render(
        message("tool", "one"), message("assistant", "It is one."), message("user", "Hi"), tools=[_TOOL]
    )
    assert "# Tools" in text
    assert "The tool answered: one\nTell me in" in text
