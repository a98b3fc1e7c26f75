"""What a turn leaves in the conversation."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from finalturn import (
    CoherenceGate,
    ContentPart,
    Message,
    Role,
    ToolCall,
    ToolGate,
    ToolPolicy,
    tool,
)
from finalturn._core.json_text import without_surrogates
from finalturn.contract import (
    HISTORY_IS_WHAT_WAS_SHOWN,
    ROUND_TRIP_EXACT,
    SEEDED_MESSAGES_UNTOUCHED,
    TOOL_CALL_ID_NATIVE,
    TOOL_MESSAGES_IN_CALL_ORDER,
    TOOL_NAME_ALWAYS,
    TOOL_RESULT_MARKS_SUCCESS,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._play import Play
from tests.contract._proves import IN_PROCESS, proves
from tests.contract._scenes import (
    ANSWER,
    FINAL,
    HOLD,
    LOOKUP,
    PROSE,
    SENTINEL,
    TEXT_TOOLS,
    Ticket,
    fail,
    lookup,
)
from tests.core._values import EVERY_CHARACTER, EVERY_PAIR, PITFALLS, filled


@tool
def empty() -> str:
    """Says nothing."""
    return ""


@tool
def looks_failed() -> str:
    """Returns what looks like an error."""
    return "Error: none"


@tool(timeout=0.01)
async def slow() -> str:
    """Never comes back."""
    await anyio.sleep_forever()
    return "never"


@tool
def denied() -> str:
    """Is denied."""
    return "must not run"


@tool
def unapproved() -> str:
    """Is not approved."""
    return "must not run"


@tool
def incoherent() -> str:
    """Makes no sense."""
    return "must not run"


GATES = (
    ToolPolicy(deny=["denied"], needs_approval=["unapproved"], approve=lambda call: False),
    CoherenceGate(lambda call, messages: call.name != "incoherent"),
)
ALL = (empty, looks_failed, slow, denied, unapproved, incoherent, lookup, fail)


@proves(TOOL_RESULT_MARKS_SUCCESS, TOOL_NAME_ALWAYS)
def test_a_result_is_set_exactly_when_the_tool_returned(play: Play) -> None:
    names = ["empty", "looks_failed", "slow", "denied", "unapproved", "incoherent", "unknown"]
    calls = [Scripted.call(name) for name in names]
    bad = [
        Scripted.call("lookup", '{"order": 1}'),
        Scripted.call("lookup", "{"),
        Scripted.call("fail", {"order": "x"}),
    ]
    observed = play([*calls, *bad], PROSE, tools=ALL, gates=GATES)
    told = [m for m in observed.result.messages if m.role is Role.TOOL]
    assert list(observed.told(m for m in observed.saved if m.role is Role.TOOL)) == told
    assert [m.tool_name for m in told] == [*names, "lookup", "lookup", "fail"]
    assert [m.tool_result for m in told] == ["", "Error: none", *[None] * 8]
    kinds = ["timeout", "policy", "approval", "coherence", "unknown_tool", "arguments", "arguments", "error"]
    assert [m.tool_failure for m in told] == [None, None, *kinds]
    assert all(m.content for m in told[2:])
    if observed.carries_chunks:
        assert [chunk.tool_message for chunk in observed.chunks if chunk.tool_message] == told


def _breaks(call: ToolCall, messages: object = None) -> bool:
    raise ValueError("no answer")


async def _never_answers(call: ToolCall) -> bool:
    await anyio.sleep_forever()
    return True


@proves(TOOL_RESULT_MARKS_SUCCESS)
@pytest.mark.parametrize(
    "gate",
    [
        ToolPolicy(needs_approval=["denied"]),
        ToolPolicy(needs_approval=["denied"], approve=_breaks),
        ToolPolicy(needs_approval=["denied"], approve=_never_answers, approval_timeout=0.001),
        ToolPolicy(allow=["others"]),
        CoherenceGate(_breaks),
    ],
    ids=["no handler", "approval raises", "approval hangs", "not allowed", "coherence raises"],
)
def test_a_gate_that_gives_no_yes_denies(play: Play, gate: ToolGate) -> None:
    observed = play([Scripted.call("denied")], PROSE, tools=[denied], gates=[gate])
    (told,) = [m for m in observed.result.messages if m.role is Role.TOOL]
    assert (told.tool_name, told.tool_result) == ("denied", None)
    assert told.content
    assert told in observed.told(observed.saved)


@proves(TOOL_CALL_ID_NATIVE)
def test_native_calls_have_ids_and_text_calls_none(play: Play) -> None:
    calls = [Scripted.call("lookup", {"order": order}, id="same") for order in ("A1", "A2")]
    native = play(calls, PROSE, tools=[lookup])
    ids = [call.id for call in native.result.tool_calls]
    assert all(ids)
    assert len(set(ids)) == 2
    for messages in (native.result.messages, native.saved):
        assert [m.tool_call_id for m in messages if m.role is Role.TOOL] == ids
    text = '<tool_call>{"name": "lookup", "arguments": {"order": "A1"}}</tool_call>'
    parsed = play(text, PROSE, tools=[lookup], capabilities=TEXT_TOOLS)
    for messages in (parsed.result.messages, parsed.saved):
        (told,) = [m for m in messages if m.role is Role.TOOL]
        assert (told.tool_call_id, told.tool_result) == (None, "order A1 is on its way")


@proves(TOOL_MESSAGES_IN_CALL_ORDER)
@pytest.mark.parametrize("parallel", [True, False], ids=["parallel", "one-by-one"])
def test_tool_messages_stand_in_call_order(play: Play, parallel: bool) -> None:
    first_may_end = anyio.Event

    @tool
    async def first() -> str:
        """Ends after the second where both run at once."""
        if parallel:
            await gate[0].wait()
        return "1"

    @tool
    async def second() -> str:
        """Ends at once."""
        if parallel:
            gate[0].set()
        return "2"

    @tool
    async def prepare() -> str:
        """Makes the event in the loop that runs."""
        gate[:] = [first_may_end()]
        return "0"

    gate: list[anyio.Event] = []
    observed = play(
        [Scripted.call("prepare")],
        [Scripted.call("first"), Scripted.call("second")],
        PROSE,
        tools=[first, second, prepare],
        parallel_tools=parallel,
    )
    for messages in (observed.result.messages, observed.saved):
        assert [m.tool_result for m in messages if m.role is Role.TOOL] == ["0", "1", "2"]


ODD = [
    Message(Role.USER, "null", tool_name="odd", tool_result=""),
    Message(
        Role.ASSISTANT,
        "",
        tool_calls=(ToolCall("gone", {"a": [1, {"b": None}]}, "x", provider_data={"s": 1}),),
    ),
    Message(Role.TOOL, "None", tool_call_id="x"),
    Message(Role.ASSISTANT, "", structured='{"old": true}'),
]


@proves(SEEDED_MESSAGES_UNTOUCHED, drivers=IN_PROCESS)
def test_given_messages_keep_their_fields(play: Play) -> None:
    given = [*ODD, Message(Role.USER, "now", tool_name="kept")]
    before = [message.to_dict() for message in given]
    observed = play(PROSE, given=given)
    assert [message.to_dict() for message in given] == before
    assert observed.result.messages[0] is given[-1]
    assert observed.saved[0].to_dict() == before[-1]


@proves(SEEDED_MESSAGES_UNTOUCHED)
def test_stored_messages_keep_their_fields(play: Play) -> None:
    sessions = InMemorySessions()
    sessions.append("s", ODD, 0)
    before = [message.to_dict() for message in ODD]
    observed = play(PROSE, sessions=sessions)
    assert [message.to_dict() for message in observed.saved[: len(ODD)]] == before
    assert observed.told(observed.saved[len(ODD) :]) == observed.result.messages


@proves(ROUND_TRIP_EXACT)
def test_messages_of_a_turn_survive_a_round_trip(play: Play) -> None:
    observed = play(
        ["Look. ", LOOKUP, Scripted.call("fail", {"order": "ü"})],
        PROSE,
        ANSWER,
        response_format=Ticket,
        config=FINAL,
        tools=[lookup, fail],
        given=[Message.user("null")],
    )
    for message in (
        *observed.result.messages,
        *observed.saved,
        *ODD,
        Message.user("x", ContentPart.image_url("https://x/y.png")),
    ):
        again = Message.from_dict(message.to_dict())
        assert again == message
        assert again.to_dict() == message.to_dict()


@proves(ROUND_TRIP_EXACT)
def test_what_anything_could_take_for_something_else_survives_one(play: Play) -> None:
    said = without_surrogates("".join(PITFALLS))
    observed = play([said], given=[Message.user(said)])
    question, answer = observed.saved
    assert question.content == said
    for message in (question, answer, *filled(EVERY_CHARACTER), *filled(EVERY_PAIR)):
        again = Message.from_dict(message.to_dict())
        assert again == message
        assert again.to_dict() == message.to_dict()


@proves(HISTORY_IS_WHAT_WAS_SHOWN)
def test_history_is_what_was_shown_with_the_answer_attached(play: Play) -> None:
    observed = play(
        ["Look. ", LOOKUP],
        f"Here.\n{ANSWER}\nBye.",
        "not json",
        ANSWER,
        response_format=Ticket,
        config=HOLD,
        tools=[lookup],
    )
    saved = observed.saved
    assert observed.told(saved) == observed.result.messages
    assert [m.role for m in saved] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    said = "".join(m.content for m in saved if m.role is Role.ASSISTANT)
    assert said == observed.content
    assert SENTINEL not in said
    assert saved[-1].structured == ANSWER


@proves(HISTORY_IS_WHAT_WAS_SHOWN)
def test_a_second_turn_continues_from_the_first(play: Play) -> None:
    sessions = InMemorySessions()
    parts: dict[str, Any] = {"response_format": Ticket, "config": FINAL, "sessions": sessions}
    first = play(PROSE, ANSWER, **parts)
    second = play(PROSE, ANSWER, given="And now?", **parts)
    assert sessions.load("s").version == 2
    assert second.told(second.saved) == (*first.result.messages, *second.result.messages)
    assert [m.role for m in second.saved] == [Role.USER, Role.ASSISTANT] * 2
    assert second.requests[0].count("".join(PROSE)) == 1
