"""Every path of a turn, end to end: what is shown, and what comes of it, exactly."""

from __future__ import annotations

from finalturn import ProviderError, Role, Usage
from finalturn.contract import (
    ANSWER_CALL_KNOWN,
    ANSWER_ON_RESULT,
    ASKED_AT_MOST_ONCE,
    DEFAULT_MODE_STREAMS,
    EVENTS_CARRY_NO_CONTENT,
    EXPLICIT_OUTCOME,
    HANDLER_PARITY,
    HELD_JSON,
    HISTORY_IS_WHAT_WAS_SHOWN,
    LIMITS_END_CLEANLY,
    NO_NEEDLESS_CALL,
    OWN_RETRY_BUDGET,
    REASONING_APART,
    RESULT_IS_LAST,
    REUSE_SIGNALLED,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    SKIP_IS_SILENT,
    SURFACE_PARITY,
    SYNTHESIS_NEVER_STREAMS,
    SYNTHESIS_START_ONCE,
    TOOL_CALLS_ALWAYS_STREAM,
    TOOL_MESSAGES_IN_CALL_ORDER,
    USAGE_COMPLETE,
    VALID_ANSWER_WINS,
)
from tests.contract._path import SPENT
from tests.contract._paths import PATHS
from tests.contract._play import Play
from tests.contract._proves import SHOWING, STREAMING, proves
from tests.contract._walk import is_expected_error, said, walk


@proves(
    SYNTHESIS_START_ONCE,
    REUSE_SIGNALLED,
    SKIP_IS_SILENT,
    EVENTS_CARRY_NO_CONTENT,
    TOOL_CALLS_ALWAYS_STREAM,
    TOOL_MESSAGES_IN_CALL_ORDER,
    REASONING_APART,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    HELD_JSON,
    DEFAULT_MODE_STREAMS,
    SYNTHESIS_NEVER_STREAMS,
    LIMITS_END_CLEANLY,
    drivers=STREAMING,
)
def test_a_path_shows_exactly_its_chunks(play: Play) -> None:
    for name, observed in walk(play):
        assert tuple(observed.shape) == PATHS[name].shape, name
        if PATHS[name].status != "error":
            told = [message for message in observed.saved if message.role is Role.TOOL]
            shown = [one.tool_message for one in observed.chunks if one.tool_message]
            assert shown == list(observed.told(told)), name


@proves(
    SYNTHESIS_NEVER_STREAMS,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    HELD_JSON,
    DEFAULT_MODE_STREAMS,
    SURFACE_PARITY,
    HANDLER_PARITY,
    LIMITS_END_CLEANLY,
    drivers=SHOWING,
)
def test_a_path_shows_exactly_its_text(play: Play) -> None:
    for name, observed in walk(play):
        assert observed.content == PATHS[name].text, name
        if PATHS[name].status != "error":
            assert observed.result.text == PATHS[name].text, name


@proves(
    EXPLICIT_OUTCOME,
    LIMITS_END_CLEANLY,
    RESULT_IS_LAST,
    ANSWER_ON_RESULT,
    ANSWER_CALL_KNOWN,
    VALID_ANSWER_WINS,
    ASKED_AT_MOST_ONCE,
)
def test_a_path_ends_as_it_should(play: Play) -> None:
    for name, observed in walk(play):
        path = PATHS[name]
        if path.status == "error":
            assert is_expected_error(observed), name
            assert observed.results == []
            continue
        result = observed.result
        assert (result.structured_status, result.stop_reason) == (path.status, path.stop), name
        assert result.limit == path.limit, name
        assert (result.content, result.answer_call) == (path.content, path.answer), name
        assert (result.parsed is not None) == (path.status == "ok"), name
        assert (result.structured_error is not None) == (path.status == "validation_failed"), name


@proves(USAGE_COMPLETE, LIMITS_END_CLEANLY, NO_NEEDLESS_CALL, OWN_RETRY_BUDGET, ASKED_AT_MOST_ONCE)
def test_a_path_makes_and_counts_exactly_its_calls(play: Play) -> None:
    for name, observed in walk(play):
        made = len(PATHS[name].calls)
        assert len(observed.requests) == made, name
        expected = sum([SPENT] * made, Usage())
        if PATHS[name].status == "error":
            assert observed.is_failed_by_provider, name
            if isinstance(observed.error, ProviderError):
                assert observed.error.usage == expected, name
        else:
            assert observed.result.usage == expected, name
            assert observed.result.model_calls == made, name


@proves(OWN_RETRY_BUDGET)
def test_a_path_offers_its_tools_until_synthesis_starts(play: Play) -> None:
    for name, observed in walk(play):
        starts = [one for one in PATHS[name].shape if one.startswith("event:structured_synthesis_start")]
        first = int(starts[0].split("@")[1]) if starts else len(PATHS[name].calls)
        offered = ['"parameters"' in request for request in observed.requests]
        assert offered == [index < first for index in range(len(offered))], name


@proves(SYNTHESIS_START_ONCE, drivers=STREAMING)
def test_a_path_says_which_of_its_calls_is_the_first_without_tools(play: Play) -> None:
    for name, observed in walk(play):
        starts = [one for one in observed.shape if one.startswith("event:structured_synthesis_start")]
        said = int(starts[0].split("@")[1]) if starts else len(observed.requests)
        offered = ['"parameters"' in request for request in observed.requests]
        assert offered == [index < said for index in range(len(offered))], name


@proves(HISTORY_IS_WHAT_WAS_SHOWN, LIMITS_END_CLEANLY, TOOL_MESSAGES_IN_CALL_ORDER)
def test_a_path_leaves_exactly_its_history(play: Play) -> None:
    for name, observed in walk(play):
        path, saved = PATHS[name], observed.saved
        if path.status == "error":
            assert saved == (), name
            continue
        assert observed.told(saved) == observed.result.messages, name
        assert said(saved) == path.said, name
        spoken = [message for message in saved if message.role is Role.ASSISTANT]
        assert observed.result.message == (spoken[-1] if spoken else None), name
        called = [f"call:{call.name}" for message in spoken for call in message.tool_calls]
        assert called == [shown.split("@")[0] for shown in path.shape if shown.startswith("call")], name
        told = [f"result:{message.tool_name}" for message in saved if message.role is Role.TOOL]
        assert told == [shown.split("@")[0] for shown in path.shape if shown.startswith("result")], name
