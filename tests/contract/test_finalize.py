"""When the predicate is asked, and what it sees."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from finalturn import Message, Role, StructuredOutputConfig, ToolCall
from finalturn.contract import (
    ASKED_AT_MOST_ONCE,
    PREDICATE_ERRORS_PROPAGATE,
    PREDICATE_SEES_CONVERSATION,
    PREDICATE_VIEW_READONLY,
    VALID_ANSWER_WINS,
)
from finalturn.sessions import InMemorySessions
from tests.contract._http_view import HttpFailure
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._proves import proves
from tests.contract._scenes import ANSWER, INVALID, LOOKUP, PROSE, Ticket, fail, lookup


class Predicate:
    """Records what it is asked."""

    def __init__(self, answer: bool = False) -> None:
        self.answer = answer
        self.asked: list[tuple[Sequence[Message], str]] = []

    def __call__(self, messages: Sequence[Message], text: str, /) -> bool | Awaitable[bool]:
        self.asked.append((messages, text))
        return self.answer


class AsyncPredicate(Predicate):
    """The same, asynchronously."""

    def __call__(self, messages: Sequence[Message], text: str, /) -> bool | Awaitable[bool]:
        async def later() -> bool:
            self.asked.append((messages, text))
            return self.answer

        return later()


def config(predicate: Any, **more: bool) -> StructuredOutputConfig:
    return StructuredOutputConfig(final_turn_only=True, should_finalize=predicate, **more)


@proves(VALID_ANSWER_WINS)
def test_a_valid_answer_is_not_put_to_the_predicate(play: Play) -> None:
    predicate = Predicate()
    reused = play(ANSWER, response_format=Ticket, config=config(predicate))
    assert reused.result.structured_status == "ok"
    again = play(ANSWER, ANSWER, response_format=Ticket, config=config(predicate, reuse_loop_answer=False))
    assert again.result.structured_status == "ok"
    assert predicate.asked == []


@proves(ASKED_AT_MOST_ONCE)
def test_the_predicate_is_asked_once_at_convergence(play: Play) -> None:
    for predicate in (Predicate(True), AsyncPredicate(True)):
        observed = play(
            ["Look. ", LOOKUP],
            INVALID,
            INVALID,
            INVALID,
            ANSWER,
            response_format=Ticket,
            config=config(predicate),
            tools=[lookup],
        )
        assert observed.result.structured_status == "ok"
        assert [text for _, text in predicate.asked] == [INVALID]


@proves(PREDICATE_SEES_CONVERSATION)
def test_the_predicate_sees_the_conversation(play: Play) -> None:
    predicate = Predicate()
    history = [Message.user("before"), Message.assistant("yes?")]
    sessions = InMemorySessions()
    sessions.append("s", [Message.user("long ago")], 0)
    observed = play(
        [*PROSE, LOOKUP, _call("fail")],
        "Converged.",
        given=[*history, Message.user("one"), Message.user("two")],
        response_format=Ticket,
        config=config(predicate),
        tools=[lookup, fail],
        context=["today is monday"],
        system_prompt="secret prompt",
        sessions=sessions,
        session="s",
    )
    ((messages, text),) = predicate.asked
    assert text == "Converged."
    assert [(m.role, m.content) for m in messages[:6]] == [
        (Role.USER, "long ago"),
        (Role.USER, "before"),
        (Role.ASSISTANT, "yes?"),
        (Role.SYSTEM, "today is monday"),
        (Role.USER, "one"),
        (Role.USER, "two"),
    ]
    asking, first, second = messages[6:]
    assert [call.name for call in asking.tool_calls] == ["lookup", "fail"]
    assert asking.content == "".join(PROSE)
    assert [(m.role, m.tool_name, m.tool_result is None) for m in (first, second)] == [
        (Role.TOOL, "lookup", False),
        (Role.TOOL, "fail", True),
    ]
    assert observed.told(messages[4:]) == observed.result.messages[:-1]


def _call(name: str) -> ToolCall:
    return ToolCall(name, {"order": "A2"})


@proves(PREDICATE_SEES_CONVERSATION)
def test_the_predicate_sees_text_that_was_not_shown(play: Play) -> None:
    predicate = Predicate()
    observed = play(INVALID, response_format=Ticket, config=config(predicate, hold_json=True))
    assert observed.content == ""
    assert observed.result.structured_status == "skipped"
    assert [text for _, text in predicate.asked] == [INVALID]


@proves(PREDICATE_VIEW_READONLY)
def test_what_the_predicate_does_to_its_view_changes_nothing(play: Play) -> None:
    def vandal(messages: Sequence[Message], text: str) -> bool:
        assert isinstance(messages, list)
        messages.clear()
        messages.append(Message.user("gone"))
        return True

    given = [Message.user("before"), Message.assistant("yes?"), Message.user("now")]
    observed = play(PROSE, ANSWER, given=given, response_format=Ticket, config=config(vandal))
    assert "gone" not in "".join(observed.requests)
    assert "before" in observed.requests[1]
    assert [m.content for m in observed.result.messages] == ["now", "".join(PROSE)]
    assert [m.content for m in given] == ["before", "yes?", "now"]


@proves(PREDICATE_ERRORS_PROPAGATE)
def test_an_exception_of_the_predicate_aborts_the_turn_unchanged(play: Play) -> None:
    error = LookupError("this is mine")

    def broken(messages: Sequence[Message], text: str) -> bool:
        raise error

    async def broken_later(messages: Sequence[Message], text: str) -> bool:
        raise error

    for predicate in (broken, broken_later):
        observed = play(PROSE, response_format=Ticket, config=config(predicate))
        assert_aborted(observed, error)
        assert observed.saved == ()


def assert_aborted(observed: Observed, error: Exception) -> None:
    """The turn has raised the error itself; a client is told that it failed, and nothing of the error."""
    assert observed.results == []
    if isinstance(observed.error, HttpFailure):
        assert (observed.error.code, observed.error.retryable) == ("internal_error", False)
        assert type(error).__name__ not in observed.wire
        assert str(error) not in observed.wire
    else:
        assert observed.error is error


@proves(PREDICATE_ERRORS_PROPAGATE)
def test_a_predicate_that_gives_no_bool_is_an_error(play: Play) -> None:
    def undecided(messages: Sequence[Message], text: str) -> None:
        return None

    observed = play(PROSE, response_format=Ticket, config=config(undecided))
    if isinstance(observed.error, HttpFailure):
        assert observed.error.code == "internal_error"
        assert "should_finalize" not in observed.wire
    else:
        assert isinstance(observed.error, TypeError)
        assert "should_finalize must give a bool, not NoneType" in str(observed.error)
