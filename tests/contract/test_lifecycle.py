"""Isolation, usage, what errors say, and what a turn leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from finalturn import Message, ModelRequest, ProviderError, Usage, tool
from finalturn._core.history import repaired
from finalturn._providers.openai_chat.encode import encode_request
from finalturn._providers.openai_chat.profiles import ANY_SERVER
from finalturn.contract import ERRORS_ARE_CLEAN, HISTORY_REPLAYABLE, RUNS_ARE_ISOLATED, USAGE_COMPLETE
from finalturn.providers import Scripted
from finalturn.testing import HttpAnswer, ReceivedRequest
from tests.contract._gathering import Gathering
from tests.contract._http_drivers import HTTP_DRIVERS
from tests.contract._leave import Leave
from tests.contract._logged import logged
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._proves import IN_PROCESS, STREAMING, proves
from tests.contract._scenes import ANSWER, FINAL, INVALID, LOOKUP, PROSE, SENTINEL, Ticket, lookup

SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)


@proves(USAGE_COMPLETE)
def test_usage_counts_every_call(play: Play) -> None:
    observed = play(
        [LOOKUP, SPENT],
        [*PROSE, SPENT],
        [INVALID, SPENT],
        [ANSWER, SPENT],
        response_format=Ticket,
        config=FINAL,
        tools=[lookup],
    )
    assert observed.result.usage == Usage(input_tokens=20, output_tokens=12, total_tokens=32)
    assert play(PROSE).result.usage == Usage(unreported_calls=1)


@proves(USAGE_COMPLETE)
def test_an_error_carries_what_had_been_used(play: Play) -> None:
    observed = play([LOOKUP, SPENT], [Scripted.CUT], tools=[lookup])
    if play.over_http:
        assert observed.is_failed_by_provider
        assert "token" not in observed.wire
        return
    assert isinstance(observed.error, ProviderError)
    assert observed.error.usage == SPENT + Usage(unreported_calls=1)


@proves(USAGE_COMPLETE, drivers=IN_PROCESS, kinds=["http"])
def test_an_error_carries_what_the_failed_call_itself_had_used(play: Play) -> None:
    usage = b'"usage":{"prompt_tokens":4,"total_tokens":4}'
    said = b'data: {"choices":[{"index":0,"delta":{"content":"h"}}],' + usage + b"}\n\n"
    failed = b'data: {"error":{"message":"overloaded"}}\n\n'
    observed = play([LOOKUP, SPENT], [said, failed], tools=[lookup])
    assert isinstance(observed.error, ProviderError)
    assert observed.error.usage == SPENT + Usage(input_tokens=4, total_tokens=4)


@proves(RUNS_ARE_ISOLATED)
def test_turns_at_the_same_time_share_nothing(play: Play) -> None:
    words = [f"user{index}" for index in range(5)]
    gathering = Gathering(play, len(words))

    def answer(request: ModelRequest | ReceivedRequest) -> list[Any]:
        roles, word = _roles_and_word(request)
        if "tool" in roles:
            return [_answer(word)]
        return [f"I am {word}. ", gathering.item, Scripted.call("lookup", {"order": word})]

    with play.over_sockets.model(then=answer) as model:
        turns = play.turns(model, words, tools=[lookup], config=FINAL, response_format=Ticket)
    for word, observed in zip(words, turns, strict=True):
        result = observed.result
        assert observed.content == f"I am {word}. {_answer(word)}"
        assert result.parsed == Ticket(topic=word, urgent=False)
        assert result.messages[0] == Message.user(word)
        assert f"order {word} is on its way" in [message.tool_result for message in result.messages]
        shown = [observed.content, repr(result), repr(observed.saved), *observed.requests]
        if observed.carries_chunks:
            shown.append(repr(observed.chunks))
        assert len(observed.requests) == 2
        assert not [other for other in words if other != word and other in "".join(shown)]


def _answer(word: str) -> str:
    return f'{{"topic": "{word}", "urgent": false}}'


def _roles_and_word(request: ModelRequest | ReceivedRequest) -> tuple[list[str], str]:
    """Who has spoken, and what was said first."""
    if isinstance(request, ReceivedRequest):
        sent = request.json["messages"]
        return [message["role"] for message in sent], sent[0]["content"]
    return [message.role.value for message in request.messages], request.messages[0].content


@proves(ERRORS_ARE_CLEAN)
def test_no_error_or_log_holds_what_a_model_wrote(play: Play) -> None:
    with logged() as log:
        cut = play([SENTINEL, Scripted.CUT])
        failed = play(
            PROSE, INVALID, INVALID, f'{{"{SENTINEL}": 1}}', response_format=Ticket, config=FINAL
        ).result
    assert cut.is_failed_by_provider
    with pytest.raises(Exception, match="validation_failed") as caught:
        failed.unwrap()
    error = caught.value
    assert (error.__cause__, error.__context__) == (None, None)
    said = [str(cut.error), repr(cut.error), str(error), repr(error), str(failed.structured_error), *log]
    assert SENTINEL not in "".join(said)


@proves(ERRORS_ARE_CLEAN, kinds=["http"])
def test_no_error_quotes_what_a_server_said(play: Play) -> None:
    for status in (400, 404, 500):
        observed = play([HttpAnswer(status, SENTINEL)])
        assert observed.is_failed_by_provider
        if isinstance(observed.error, ProviderError):
            assert observed.error.status == status
        assert SENTINEL not in observed.wire
        assert SENTINEL not in str(observed.error) + repr(observed.error)


class Strict(BaseModel, extra="forbid"):
    topic: str


@proves(ERRORS_ARE_CLEAN)
def test_no_error_names_a_key_that_a_model_made_up(play: Play) -> None:
    made_up = f'{{"topic": "t", "{SENTINEL}": 1}}'
    result = play(made_up, made_up, made_up, response_format=Strict).result
    assert result.structured_status == "validation_failed"
    assert SENTINEL not in str(result.structured_error)


WHOLE = 5
STEPS = (["Look. ", LOOKUP, Scripted.call("", "{")], PROSE, ANSWER)


@proves(HISTORY_REPLAYABLE)
def test_history_is_accepted_wherever_a_turn_was_left(play: Play) -> None:
    """The turn is left after each item; at the end it is not left at all."""
    items = 9 if play.driver in STREAMING else 3
    saved = 0
    for stop in range(1, items + 2):
        leave = Leave(at=lambda observed, stop=stop: observed.count == stop)  # type: ignore[misc]
        observed = play(*STEPS, response_format=Ticket, config=FINAL, tools=[lookup], leave=leave)
        assert_replayable(observed)
        saved += len(observed.saved)
    assert saved >= WHOLE


@proves(HISTORY_REPLAYABLE, drivers=[name for name in (*IN_PROCESS, *HTTP_DRIVERS) if name != "run"])
def test_history_is_accepted_when_a_turn_is_left_while_a_tool_runs(play: Play) -> None:
    running = threading.Event()

    @tool
    async def stuck() -> str:
        """Does not come back."""
        running.set()
        await anyio.sleep_forever()
        return "never"

    calls = [LOOKUP, Scripted.call("stuck")]
    observed = play(calls, "never", tools=[lookup, stuck], leave=Leave(when=running))
    assert len(observed.requests) == 1
    assert_replayable(observed)


@proves(HISTORY_REPLAYABLE)
def test_history_is_accepted_wherever_a_turn_failed(play: Play) -> None:
    for place in range(3):
        calls = [*STEPS[:place], ["half", Scripted.CUT]]
        observed = play(*calls, response_format=Ticket, config=FINAL, tools=[lookup])
        assert observed.is_failed_by_provider
        assert_replayable(observed)


def assert_replayable(observed: Observed) -> None:
    """A turn leaves all of itself or nothing, and what it leaves every encoder takes."""
    saved = observed.saved
    assert len(saved) in (0, WHOLE)
    if observed.results:
        assert observed.told(saved) == observed.result.messages
    history = [*saved, Message.user("next")]
    check_replayable(repaired(history))
    body = encode_request(
        ModelRequest(history), model="any", profile=ANY_SERVER, stream=False, stream_usage=False
    )
    due: list[str] = []
    for sent in body["messages"]:
        if sent["role"] == "tool":
            due.remove(sent["tool_call_id"])
        else:
            assert due == []
            due = [call["id"] for call in sent.get("tool_calls", ())]
    assert due == []


def check_replayable(messages: Sequence[Message]) -> None:
    """Every call is answered once, directly after it, and no name or message is empty."""
    due: list[str | None] = []
    for message in messages:
        if message.role == "tool":
            assert message.tool_name
            assert message.tool_call_id in due
            due.remove(message.tool_call_id)
        else:
            assert due == []
            due = [call.id for call in message.tool_calls]
            assert len(set(due)) == len(due)
            assert message.content.strip() or message.tool_calls or message.content_parts
    assert due == []
