"""What streams, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from finalturn import ModelEnd, ProviderError, StreamChunk
from finalturn.contract import (
    ANSWER_CALL_KNOWN,
    ANSWER_ON_RESULT,
    DEFAULT_MODE_STREAMS,
    EVENTS_CARRY_NO_CONTENT,
    HANDLER_PARITY,
    NO_DOUBLED_TEXT,
    REASONING_APART,
    RESULT_IS_LAST,
    REUSE_SIGNALLED,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    SKIP_IS_SILENT,
    SURFACE_PARITY,
    SYNTHESIS_NEVER_STREAMS,
    SYNTHESIS_START_ONCE,
    TOOL_CALLS_ALWAYS_STREAM,
    WHOLE_REPLY_PARITY,
)
from finalturn.providers import Scripted
from finalturn.testing import ScriptedServer
from tests.contract._leave import Leave
from tests.contract._play import Play
from tests.contract._proves import SHOWING, STREAMING, proves
from tests.contract._reference import CONFIGS, SCRIPTS, play_script, reference
from tests.contract._scenes import (
    ANSWER,
    COMBINED,
    FINAL,
    HOLD,
    INVALID,
    LOOKUP,
    NO_REUSE,
    PROSE,
    SENTINEL,
    SINGLE,
    TEXT_TOOLS,
    Ticket,
    lookup,
    skipping,
)


@proves(SYNTHESIS_NEVER_STREAMS)
def test_synthesis_text_reaches_the_result_and_nothing_else(play: Play) -> None:
    observed = play(
        [LOOKUP],
        PROSE,
        Scripted.pieces(INVALID, 5),
        [Scripted.reasoning(f"think {SENTINEL}"), *Scripted.pieces(ANSWER, 5)],
        response_format=Ticket,
        config=FINAL,
        tools=[lookup],
    )
    result = observed.result
    assert observed.content == result.text == "".join(PROSE)
    assert result.content == ANSWER
    if observed.carries_chunks:
        assert SENTINEL not in repr(observed.chunks)
    saved = observed.saved
    assert observed.told(saved) == result.messages
    holders = [message for message in saved if SENTINEL in repr(message)]
    assert len(holders) == 1
    assert holders[0] is result.message or holders[0] == result.message
    assert holders[0].structured == ANSWER
    assert SENTINEL not in holders[0].content


@proves(SYNTHESIS_NEVER_STREAMS)
def test_a_rejected_attempt_reaches_nothing(play: Play) -> None:
    observed = play(PROSE, INVALID, INVALID, INVALID, response_format=Ticket, config=FINAL)
    assert observed.content == "".join(PROSE)
    assert SENTINEL not in repr(observed.result)
    assert SENTINEL not in repr(observed.saved)
    if observed.carries_chunks:
        assert SENTINEL not in repr(observed.chunks)


@proves(SYNTHESIS_START_ONCE)
def test_the_start_of_synthesis_is_shown_once_and_before_it(play: Play) -> None:
    observed = play(PROSE, INVALID, INVALID, ANSWER, response_format=Ticket, config=FINAL)
    assert observed.shape == ["content@0", "event:structured_synthesis_start@1"]
    assert len(observed.requests) == 4


@proves(SYNTHESIS_START_ONCE)
def test_the_start_of_synthesis_follows_a_yes_of_the_predicate(play: Play) -> None:
    observed = play(PROSE, ANSWER, response_format=Ticket, config=skipping(False))
    assert observed.shape == ["content@0", "event:structured_synthesis_start@1"]


@proves(SYNTHESIS_START_ONCE)
def test_without_synthesis_there_is_no_start(play: Play) -> None:
    observed = play(ANSWER, response_format=Ticket, config=FINAL)
    assert "structured_synthesis_start" not in observed.events
    observed = play(ANSWER, ANSWER, response_format=Ticket, config=NO_REUSE)
    assert observed.events == ["structured_synthesis_start"]


@proves(REUSE_SIGNALLED)
def test_a_reused_answer_that_was_shown_is_signalled_after_it(play: Play) -> None:
    pieces = Scripted.pieces(ANSWER, 7)
    observed = play([LOOKUP, "Looking. "], pieces, response_format=Ticket, config=FINAL, tools=[lookup])
    assert observed.shape[-2:] == ["content@1", "event:structured_reuse@1"]
    assert observed.events == ["structured_reuse"]
    assert observed.content == "Looking. " + ANSWER
    assert observed.result.structured_status == "ok"
    assert len(observed.requests) == 2


@proves(REUSE_SIGNALLED)
def test_an_answer_that_is_not_reused_is_not_signalled(play: Play) -> None:
    assert play("prose", ANSWER, response_format=Ticket, config=FINAL).events == [
        "structured_synthesis_start"
    ]
    assert play(ANSWER, response_format=Ticket, config=HOLD).events == []


@proves(SINGLE_PASS_SUPPRESSES_CONTENT)
def test_single_pass_shows_no_content(play: Play) -> None:
    observed = play(
        ["Let me look. ", LOOKUP],
        Scripted.pieces(ANSWER, 9),
        response_format=Ticket,
        config=SINGLE,
        capabilities=COMBINED,
        tools=[lookup],
    )
    assert observed.pieces == []
    assert observed.result.text == ""
    assert observed.result.structured_status == "ok"
    if observed.carries_chunks:
        assert observed.shape == ["call:lookup@0", "result:lookup@0"]
    assert len(observed.requests) == 2


@proves(SINGLE_PASS_SUPPRESSES_CONTENT)
def test_single_pass_shows_no_content_when_its_answer_is_invalid(play: Play) -> None:
    observed = play(
        "prose", ANSWER, response_format=Ticket, config=SINGLE, capabilities=COMBINED, tools=[lookup]
    )
    assert observed.pieces == []
    assert observed.result.structured_status == "ok"
    if observed.carries_chunks:
        assert observed.shape == ["event:structured_synthesis_start@1"]


@proves(SINGLE_PASS_SUPPRESSES_CONTENT)
def test_single_pass_takes_the_synthesis_path_where_it_cannot_be_active(play: Play) -> None:
    observed = play(PROSE, ANSWER, response_format=Ticket, config=SINGLE, tools=[lookup])
    assert observed.content == "".join(PROSE)
    assert observed.result.structured_status == "ok"


@proves(TOOL_CALLS_ALWAYS_STREAM)
@pytest.mark.parametrize("config", [FINAL, HOLD, SINGLE], ids=["final", "hold", "single"])
@pytest.mark.parametrize("capabilities", [COMBINED, TEXT_TOOLS], ids=["native", "text"])
def test_every_call_is_announced_before_its_result(play: Play, config: object, capabilities: object) -> None:
    calls = ["<tool_call>", '{"name": "lookup", "arguments": {"order": "A1"}}', "</tool_call>"]
    nothing = '<tool_call>{"name": "nothing", "arguments": {}}</tool_call>'
    native = [LOOKUP, Scripted.call("nothing"), Scripted.call("lookup", '{"order":')]
    malformed = '<tool_call>{"name": "lookup", "arguments": {"order":</tool_call>'
    observed = play(
        [*calls, nothing, malformed] if capabilities is TEXT_TOOLS else native,
        ANSWER,
        response_format=Ticket,
        config=config,
        capabilities=capabilities,  # type: ignore[arg-type]
        tools=[lookup],
    )
    purposes = [one.split("@")[0] for one in observed.shape if one.startswith(("call", "result"))]
    assert [one.split(":")[0] for one in purposes] == ["call"] * 3 + ["result"] * 3
    assert purposes[:2] == ["call:lookup", "call:nothing"]
    assert len(observed.result.tool_calls) == 3


@proves(REASONING_APART)
@pytest.mark.parametrize("config", [FINAL, HOLD], ids=["final", "hold"])
def test_reasoning_is_not_content(play: Play, config: object) -> None:
    observed = play(
        [Scripted.reasoning(SENTINEL), "Hello"],
        [Scripted.reasoning(SENTINEL), '{"topic": "t", "urgent": false}'],
        response_format=Ticket,
        config=config,
    )
    assert observed.content == "Hello"
    assert SENTINEL not in observed.result.text + observed.result.content
    if observed.carries_chunks:
        assert observed.reasoning == SENTINEL


@proves(EVENTS_CARRY_NO_CONTENT)
def test_an_event_has_nothing_else(play: Play) -> None:
    for calls in ([ANSWER], [PROSE, INVALID, ANSWER]):
        observed = play(*calls, response_format=Ticket, config=FINAL)
        (event,) = [chunk for chunk in observed.chunks if chunk.event is not None]
        assert (event.content, event.reasoning, event.tool_calls, event.tool_message) == ("", "", (), None)


@proves(SKIP_IS_SILENT, drivers=[*STREAMING, "http-chat"])
def test_a_skip_shows_no_event_and_makes_no_call(play: Play) -> None:
    observed = play(PROSE, response_format=Ticket, config=skipping(True))
    if observed.carries_chunks:
        assert observed.shape == ["content@0"]
    assert observed.result.structured_status == "skipped"
    assert len(observed.requests) == 1


@proves(RESULT_IS_LAST)
def test_a_turn_ends_with_one_result(play: Play) -> None:
    for calls in ([ANSWER], [PROSE, ANSWER], [PROSE, INVALID, INVALID, INVALID]):
        observed = play(*calls, response_format=Ticket, config=FINAL)
        assert len(observed.results) == 1
        if observed.carries_chunks:
            # Whatever is shown after the result fails the play.
            assert "".join(chunk.content for chunk in observed.chunks) == observed.result.text


@proves(RESULT_IS_LAST)
def test_a_turn_that_fails_has_no_result(play: Play) -> None:
    observed = play(["par", "tial", Scripted.CUT], response_format=Ticket, config=FINAL)
    assert observed.is_failed_by_provider
    assert observed.results == []
    if observed.carries_chunks:
        assert observed.content == ("partial" if play.streams else "")


@proves(SURFACE_PARITY, WHOLE_REPLY_PARITY, HANDLER_PARITY)
@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("config", CONFIGS)
def test_every_surface_and_kind_gives_the_same(play: Play, name: str, config: str) -> None:
    observed, expected = play_script(play, name, config), reference("streaming", name, config)
    assert observed.content == expected.content == observed.result.text
    if observed.carries_pieces:
        assert observed.pieces == reference(play.kind, name, config).pieces
    if observed.carries_chunks:
        assert observed.shape == expected.shape
        assert observed.reasoning == expected.reasoning
    mine, other = observed.result, expected.result
    assert (mine.parsed, mine.content, mine.text) == (other.parsed, other.content, other.text)
    assert (mine.structured_status, mine.stop_reason) == (other.structured_status, other.stop_reason)
    assert mine.structured_error == other.structured_error
    assert [m.content for m in mine.messages] == [m.content for m in other.messages]
    assert [m.structured for m in mine.messages] == [m.structured for m in other.messages]
    assert [c.name for c in mine.tool_calls] == [c.name for c in other.tool_calls]
    assert (mine.model_calls, mine.answer_call, mine.usage) == (
        other.model_calls,
        other.answer_call,
        other.usage,
    )


def busy() -> ProviderError:
    """A failure that would be asked again after, had nothing been shown."""
    return ProviderError("it is overloaded", status=503, retryable=True)


BREAKS: dict[str, Callable[[], object]] = {
    "the end is missing": lambda: Scripted.CUT,
    "an error with a status": busy,
    "an error without one": lambda: ProviderError("it broke", retryable=True),
}
"""How an answer breaks off in its middle."""


@proves(NO_DOUBLED_TEXT, drivers=SHOWING, kinds=["streaming", "sync-stream", "http"])
@pytest.mark.parametrize("breaks", BREAKS)
@pytest.mark.parametrize("begun", [["Hello"], ["."], ["Hel", "lo"]])
def test_a_call_that_broke_off_after_text_is_not_repeated(play: Play, begun: list[str], breaks: str) -> None:
    observed = play([*begun, BREAKS[breaks]()], "Hello world", retries=2)
    assert observed.is_failed_by_provider
    assert len(observed.requests) == 1
    assert observed.content == "".join(begun)


OVERLOADED = b'data: {"error": {"code": 503, "message": "overloaded"}}\n\n'
"""A record that would be asked again after, had it come first."""


@proves(NO_DOUBLED_TEXT, drivers=SHOWING, kinds=["http"])
@pytest.mark.parametrize("breaks", [ScriptedServer.DROP, OVERLOADED], ids=["connection", "record"])
def test_nor_is_one_whose_connection_broke_or_whose_vendor_said_so(play: Play, breaks: Any) -> None:
    observed = play.over_sockets(["Hello", breaks], "Hello world", retries=2)
    assert observed.is_failed_by_provider
    assert len(observed.requests) == 1
    assert observed.content == "Hello"


@proves(NO_DOUBLED_TEXT, drivers=SHOWING, kinds=["streaming", "sync-stream"])
@pytest.mark.parametrize("breaks", BREAKS)
def test_nor_is_one_after_a_thought(play: Play, breaks: str) -> None:
    """What a model thinks aloud is shown too."""
    observed = play([Scripted.reasoning("Hm. "), BREAKS[breaks]()], "Hello", retries=2)
    assert observed.is_failed_by_provider
    assert len(observed.requests) == 1
    assert observed.content == ""


@proves(ANSWER_CALL_KNOWN)
def test_chunks_name_their_call_and_the_result_the_answers(play: Play) -> None:
    observed = play(["a", LOOKUP], "b", INVALID, ANSWER, response_format=Ticket, config=FINAL, tools=[lookup])
    if observed.carries_chunks:
        assert observed.shape == [
            "content@0",
            "call:lookup@0",
            "result:lookup@0",
            "content@1",
            "event:structured_synthesis_start@2",
        ]
    assert observed.result.answer_call == 3
    assert observed.result.model_calls == 4
    assert play("plain").result.answer_call == 0
    assert play(ANSWER, response_format=Ticket, config=FINAL).result.answer_call == 0


@proves(ANSWER_ON_RESULT)
def test_the_answer_is_on_the_result_and_its_message(play: Play) -> None:
    fenced = f"```json\n{ANSWER}\n```"
    for calls, config in (
        ([ANSWER], FINAL),
        ([fenced], HOLD),
        ([PROSE, fenced], FINAL),
        ([INVALID, ANSWER], None),
    ):
        observed = play(*calls, response_format=Ticket, config=config)
        result = observed.result
        assert result.content == ANSWER
        assert result.parsed == Ticket(topic=SENTINEL, urgent=True)
        assert result.message is not None
        assert result.message.structured == ANSWER
        assert result.messages[-1] == observed.saved[-1] == result.message


@proves(DEFAULT_MODE_STREAMS)
def test_default_mode_streams_every_attempt(play: Play) -> None:
    observed = play(Scripted.pieces(INVALID, 4), Scripted.pieces(ANSWER, 4), response_format=Ticket)
    assert observed.content == INVALID + ANSWER
    if observed.carries_chunks:
        assert observed.shape == ["content@0", "content@1"]


@proves(DEFAULT_MODE_STREAMS)
def test_default_mode_ignores_what_a_cut_left(play: Play) -> None:
    observed = play([INVALID, ModelEnd("length")], ANSWER, response_format=Ticket)
    assert observed.content == INVALID + ANSWER
    assert observed.result.structured_status == "ok"


@proves(EVENTS_CARRY_NO_CONTENT)
def test_a_chunk_has_one_purpose(play: Play) -> None:
    observed = play(["Look. ", LOOKUP], PROSE, ANSWER, response_format=Ticket, config=FINAL, tools=[lookup])
    for chunk in observed.chunks:
        values = (chunk.content, chunk.reasoning, chunk.tool_calls, chunk.tool_message, chunk.event)
        assert sum(bool(value) for value in values) == 1
        assert isinstance(chunk, StreamChunk)


@proves(SYNTHESIS_START_ONCE, drivers=STREAMING)
def test_the_start_of_synthesis_is_shown_before_its_call_begins(play: Play) -> None:
    leave = Leave(at=lambda observed: bool(observed.seen) and observed.chunks[-1].event is not None)
    observed = play(PROSE, ANSWER, response_format=Ticket, config=FINAL, leave=leave)
    assert observed.shape == ["content@0", "event:structured_synthesis_start@1"]
    assert len(observed.requests) == 1


@proves(TOOL_CALLS_ALWAYS_STREAM)
def test_the_result_has_the_calls_of_every_batch(play: Play) -> None:
    observed = play([LOOKUP], [LOOKUP, LOOKUP], PROSE, tools=[lookup])
    assert [call.name for call in observed.result.tool_calls] == ["lookup"] * 3
    if observed.seen is not None:
        assert sum(len(chunk.tool_calls) for chunk in observed.seen) == 3
