"""What a client holds of a run."""

from __future__ import annotations

from typing import Any

from finalturn.serve.ag_ui._transcript import Transcript


def dumped(transcript: Transcript) -> list[dict[str, Any]]:
    return [one.model_dump(by_alias=True) for one in transcript.messages()]


def test_messages_in_the_order_in_which_they_began() -> None:
    transcript = Transcript()
    transcript.begin("a", "assistant", {"x": 1})
    transcript.begin("r", "reasoning", {"x": 2})
    transcript.add("r", "hm")
    transcript.add("a", "He")
    transcript.add("a", "llo")
    assert dumped(transcript) == [
        {"id": "a", "role": "assistant", "content": "Hello", "metadata": {"x": 1}},
        {"id": "r", "role": "reasoning", "content": "hm", "metadata": {"x": 2}},
    ]


def test_a_call_is_of_the_message_that_asked_for_it() -> None:
    transcript = Transcript()
    transcript.call("a", "t1", "look", "{}", {"x": 1})
    transcript.call("a", "t2", "look", "{}", {"x": 2})
    transcript.result("r1", "t1", "found", {"x": 3})
    call = {"type": "function", "function": {"name": "look", "arguments": "{}"}}
    assert dumped(transcript) == [
        {
            "id": "a",
            "role": "assistant",
            "toolCalls": [
                {"id": "t1", **call, "metadata": {"x": 1}},
                {"id": "t2", **call, "metadata": {"x": 2}},
            ],
        },
        {"id": "r1", "role": "tool", "content": "found", "toolCallId": "t1", "metadata": {"x": 3}},
    ]


def test_a_text_that_is_taken_back_is_no_message_but_its_calls_stay() -> None:
    transcript = Transcript()
    for message_id in ("a", "b"):
        transcript.begin(message_id, "assistant", {})
        transcript.add(message_id, "{}")
    transcript.call("b", "t1", "look", "{}", {})
    transcript.retract("a")
    transcript.retract("b")
    (left,) = dumped(transcript)
    assert left["id"] == "b" and "content" not in left
