"""Results and usage."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from finalturn._core.errors import StructuredOutputError
from finalturn._core.messages import Message
from finalturn._core.result import AgentResult, ProviderSwitch, Usage, keep_rejected

USAGES = st.builds(Usage, *[st.integers(0, 10**9)] * 6)
DONE: AgentResult[Any] = AgentResult(
    message=Message.assistant("hi"),
    content="hi",
    parsed=None,
    structured_status=None,
    structured_error=None,
    text="hi",
    messages=(Message.user("x"), Message.assistant("hi")),
    tool_calls=(),
    usage=Usage(1),
    model_calls=1,
    answer_call=0,
    stop_reason="completed",
)
REJECTED = '{"secret": 1}'


class TestUsage:
    @given(USAGES, USAGES, USAGES)
    def test_they_add_up_field_by_field(self, one: Usage, other: Usage, third: Usage) -> None:
        total = one + other
        for field in fields(Usage):
            name = field.name
            assert getattr(total, name) == getattr(one, name) + getattr(other, name)
        assert total == other + one
        assert total + third == one + (other + third)
        assert one + Usage() == one

    def test_they_start_at_nothing(self) -> None:
        assert Usage() == Usage(0, 0, 0, 0, 0, 0)
        assert sum([Usage(1, total_tokens=2), Usage(3)], Usage()) == Usage(4, total_tokens=2)

    def test_they_are_frozen(self) -> None:
        with pytest.raises(FrozenInstanceError):
            Usage().input_tokens = 1  # type: ignore[misc]


class TestUnwrap:
    @pytest.mark.parametrize("value", [{"a": 1}, 0, "", None])
    def test_the_status_decides_and_not_the_value(self, value: object) -> None:
        assert replace(DONE, parsed=value, structured_status="ok").unwrap() == value

    def test_without_a_response_format_there_is_none(self) -> None:
        with pytest.raises(StructuredOutputError, match="had no response_format") as caught:
            DONE.unwrap()
        assert caught.value.rejected is None

    def test_the_reason_is_told_and_the_text_kept_apart(self) -> None:
        failed = keep_rejected(
            replace(DONE, structured_status="validation_failed", structured_error="a: missing"), REJECTED
        )
        with pytest.raises(StructuredOutputError) as caught:
            failed.unwrap()
        assert str(caught.value) == "no structured answer (validation_failed): a: missing"
        assert caught.value.rejected == REJECTED
        assert "secret" not in repr(caught.value)

    @pytest.mark.parametrize("status", ["skipped", "not_attempted"])
    def test_without_an_error_the_stop_reason_is_told(self, status: Any) -> None:
        stopped = replace(DONE, structured_status=status, stop_reason="terminal_tool")
        with pytest.raises(StructuredOutputError) as caught:
            stopped.unwrap()
        expected = f"no structured answer ({status}): the turn stopped with 'terminal_tool'"
        assert str(caught.value) == expected


def test_a_rejected_text_shows_nowhere() -> None:
    failed = keep_rejected(replace(DONE), REJECTED)
    assert failed == DONE
    written = (repr(failed), str(asdict(failed)), str(to_json(failed)), str(pickle.dumps(failed)))
    assert not any("secret" in text for text in written)


def test_a_turn_has_switched_only_when_it_says_so() -> None:
    assert DONE.switches == ()
    switch = ProviderSwitch(0, "a", "b", "down", 503, None)
    switched = replace(DONE, switches=(switch,))
    assert pickle.loads(pickle.dumps(switched)).switches == (switch,)
    assert asdict(switched)["switches"] == (asdict(switch),)
    with pytest.raises(FrozenInstanceError):
        switch.reason = "other"  # type: ignore[misc]


def test_a_result_is_frozen_and_can_be_pickled() -> None:
    with pytest.raises(FrozenInstanceError):
        DONE.content = "other"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(DONE)) == DONE
