"""The contexts of a turn's tool calls: whose try it is, and the key of a call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from finalturn import Message, RunContext, ToolCall
from finalturn._core.tool_outcome import ToolOutcome
from finalturn._tools.call_contexts import CallContexts

ASKED = (Message.user("Hello"), Message.assistant("", tool_calls=(ToolCall("a"), ToolCall("b"))))


CALL = ToolCall("a", id="1")


def of_run(run_id: str = "run-1") -> CallContexts:
    return CallContexts(lambda messages: RunContext("deps", run_id, session="s", messages=messages))


def key(run_id: str = "run-1", index: int = 0, call: ToolCall = CALL, answers: int = 1) -> str:
    contexts = of_run(run_id)
    contexts.next_batch((Message.user("Hello"), *[Message.assistant("x")] * answers))
    return contexts.of_call(index, call).idempotency_key


def test_a_context_has_the_turn_and_its_call() -> None:
    contexts = of_run()
    contexts.next_batch(ASKED)
    context = contexts.of_call(1, ToolCall("b", id="call-2"))
    assert (context.deps, context.session, context.run_id) == ("deps", "s", "run-1")
    assert (context.call_id, context.attempt, context.messages) == ("call-2", 1, ASKED)


def test_a_key_is_that_of_one_call() -> None:
    assert key() == key()
    others = [
        key("run-2"),
        key(index=1),
        key(call=ToolCall("b", id="1")),
        key(call=ToolCall("a", id="2")),
        key(call=ToolCall("a")),
        key(answers=2),
    ]
    assert len({key(), *others}) == 7
    assert all(len(one) == 64 and int(one, 16) >= 0 for one in others)


def test_what_was_said_before_the_user_does_not_change_a_key() -> None:
    short, long = of_run(), of_run()
    short.next_batch(ASKED)
    long.next_batch((Message.user("Before"), Message.assistant("Yes."), *ASKED))
    assert short.of_call(0, CALL).idempotency_key == long.of_call(0, CALL).idempotency_key


@given(st.lists(st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), max_size=3), max_size=6))
def test_an_attempt_counts_the_failures_in_a_row(batches: list[list[tuple[str, bool]]]) -> None:
    contexts = of_run()
    in_a_row = {"a": 0, "b": 0}
    for batch in batches:
        contexts.next_batch(ASKED)
        calls = [ToolCall(name) for name, _ in batch]
        found = [contexts.of_call(place, call).attempt for place, call in enumerate(calls)]
        assert found == [in_a_row[call.name] + 1 for call in calls]
        outcomes = {
            place: ToolOutcome(place, "", "arguments" if fails else None)
            for place, (_, fails) in enumerate(batch)
        }
        contexts.note(calls, outcomes)
        for name, fails in batch:
            in_a_row[name] = in_a_row[name] + 1 if fails else 0
