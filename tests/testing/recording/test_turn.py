"""A turn as records: what each kind of turn leaves in its trace."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from finalturn import (
    Agent,
    Capabilities,
    Message,
    ModelEnd,
    ModelSettings,
    Role,
    StreamChunk,
    StructuredOutputConfig,
    ToolCall,
    Usage,
    tool,
)
from finalturn.contract import (
    CallEnded,
    CallStarted,
    FinalizeAnswered,
    FinalizeAsked,
    ModelReasoning,
    ModelText,
    Record,
    Shown,
    ToolOutcomeRecorded,
    ToolsStarted,
    TurnResult,
    TurnSaved,
    TurnStarted,
)
from finalturn.providers import Scripted
from finalturn.testing import record


class Ticket(BaseModel):
    """A support ticket."""

    topic: str = Field(description="what it is about")


ANSWER = '{"topic": "order"}'
FINAL = StructuredOutputConfig(final_turn_only=True)


@tool
def lookup(order: str) -> str:
    """Look an order up."""
    return f"{order} is on its way"


@tool(terminal=True)
def stop(order: str) -> str:
    """Ends the turn, or fails."""
    raise ValueError(order)


def records(agent: Agent[Any], given: Any = "hi") -> list[Record]:
    with record(agent) as recording:
        agent.run(given)
    (trace,) = recording.traces
    return list(trace.records)


def started(*calls: Any, capabilities: Capabilities | None = None, **parts: Any) -> list[CallStarted]:
    agent = Agent(Scripted(*calls, capabilities=capabilities), **parts)
    return [one for one in records(agent) if isinstance(one, CallStarted)]


def verdicts(*calls: Any, **parts: Any) -> list[str]:
    return [one.verdict for one in records(Agent(Scripted(*calls), **parts)) if isinstance(one, CallEnded)]


def test_a_plain_turn() -> None:
    user, answer, spent = Message.user("hi"), Message.assistant("Hello"), Usage(output_tokens=2)
    assert records(Agent(Scripted([Scripted.reasoning("hm"), "Hel", "lo", spent]))) == [
        TurnStarted(
            mode="plain",
            single_pass=False,
            hold=False,
            reuse=True,
            asks=False,
            native_tools=True,
            max_iterations=10,
            max_retries=2,
            history=(),
            injections=(),
            user=(user,),
        ),
        CallStarted(0, "loop", schema_sent=False, tools=(), messages=(user,)),
        ModelReasoning(0, "hm"),
        Shown(StreamChunk(reasoning="hm")),
        ModelText(0, "Hel"),
        Shown(StreamChunk("Hel")),
        ModelText(0, "lo"),
        Shown(StreamChunk("lo")),
        CallEnded(0, "Hello", (), "stop", spent, "plain"),
        TurnSaved(),
        TurnResult(
            structured_status=None,
            stop_reason="completed",
            content="Hello",
            text="Hello",
            parsed=None,
            has_parsed=False,
            messages=(user, answer),
            tool_calls=(),
            usage=spent,
            model_calls=1,
            answer_call=0,
        ),
    ]


def test_a_batch_of_tools() -> None:
    found = records(
        Agent(
            Scripted([Scripted.call("lookup", {"order": "A"}), Scripted.call("stop", {"order": "B"})], "ok"),
            tools=[lookup, stop],
        )
    )
    place = next(place for place, one in enumerate(found) if isinstance(one, ToolsStarted))
    first, second = (
        ToolCall("lookup", {"order": "A"}, "call_0_0"),
        ToolCall("stop", {"order": "B"}, "call_0_1"),
    )
    results = [
        Message(
            Role.TOOL,
            "A is on its way",
            tool_name="lookup",
            tool_call_id="call_0_0",
            tool_result="A is on its way",
        ),
        Message(Role.TOOL, "ValueError: B", tool_name="stop", tool_call_id="call_0_1", tool_failure="error"),
    ]
    assert found[place - 2 : place + 5] == [
        Shown(StreamChunk(tool_calls=(first,))),
        Shown(StreamChunk(tool_calls=(second,))),
        ToolsStarted((first, second)),
        ToolOutcomeRecorded(0, succeeded=True, text="A is on its way", terminal=False),
        ToolOutcomeRecorded(1, succeeded=False, text="ValueError: B", terminal=False),
        *(Shown(StreamChunk(tool_message=message)) for message in results),
    ]


def test_the_predicate() -> None:
    config = StructuredOutputConfig(final_turn_only=True, should_finalize=lambda messages, text: False)
    found = records(
        Agent(Scripted("Hello"), response_format=Ticket, structured_output=config, context=["Be brief."])
    )
    place = next(place for place, one in enumerate(found) if isinstance(one, FinalizeAsked))
    assert found[place : place + 2] == [
        FinalizeAsked((Message.system("Be brief."), Message.user("hi")), "Hello"),
        FinalizeAnswered(False),
    ]
    begun = found[0]
    assert isinstance(begun, TurnStarted)
    assert (begun.mode, begun.asks, begun.injections) == ("final_turn", True, (Message.system("Be brief."),))


def test_the_history_is_as_it_was_given() -> None:
    history = [Message.user("a"), Message(Role.TOOL, "an orphan"), Message.user("b")]
    begun = records(Agent(Scripted("Hello")), history)[0]
    assert isinstance(begun, TurnStarted)
    assert (begun.history, begun.user) == (tuple(history[:2]), (history[2],))


class TestRequests:
    def test_a_synthesis_call_carries_the_schema_in_words(self) -> None:
        found = started("Hi.", "no", ANSWER, response_format=Ticket, structured_output=FINAL, tools=[lookup])
        assert [(one.call, one.purpose, one.schema_sent, one.tools) for one in found] == [
            (0, "loop", False, ("lookup",)),
            (1, "synthesis", True, ()),
            (2, "synthesis", True, ()),
        ]

    def test_a_synthesis_call_carries_it_natively(self) -> None:
        found = started(
            "Hi.",
            ANSWER,
            response_format=Ticket,
            structured_output=FINAL,
            capabilities=Capabilities(native_schema=True),
        )
        assert [one.schema_sent for one in found] == [False, True]

    @pytest.mark.parametrize("native", [True, False])
    def test_in_default_mode_every_call_carries_it(self, native: bool) -> None:
        found = started(
            "no",
            ANSWER,
            response_format=Ticket,
            capabilities=Capabilities(native_schema=native),
            system_prompt="Be brief.",
        )
        assert [(one.purpose, one.schema_sent) for one in found] == [("loop", True)] * 2

    def test_a_schema_that_the_user_sends_is_not_the_turns(self) -> None:
        # The schema of a whole number is so short that it may well stand in a prompt.
        found = started(
            "Hi.",
            "5",
            response_format=TypeAdapter(int),
            structured_output=FINAL,
            system_prompt='Such as {"type":"integer"}.',
            context=['Or {"type":"integer"}.'],
        )
        assert [one.schema_sent for one in found] == [False, True]

    def test_a_call_that_may_use_no_tools_offers_none(self) -> None:
        assert started("Hi.", tools=[lookup], settings=ModelSettings(tool_choice="none"))[0].tools == ()


class TestVerdicts:
    def test_of_the_loop(self) -> None:
        call = Scripted.call("lookup", {"order": "A"})
        assert verdicts([call, ModelEnd("length")], "Hi.", tools=[lookup]) == ["calls", "plain"]
        assert verdicts([call, ModelEnd("refusal")], tools=[lookup]) == ["refused"]
        assert verdicts(["no", ModelEnd("refusal")]) == ["refused"]
        assert verdicts(["Hi", ModelEnd("length")]) == ["cut"]
        assert verdicts(" ", "Hi.") == ["empty", "plain"]

    def test_of_an_answer(self) -> None:
        assert verdicts("no", ANSWER, response_format=Ticket) == ["invalid", "valid"]
        assert verdicts(ANSWER, response_format=Ticket, structured_output=FINAL) == ["valid"]
        kept = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False)
        assert verdicts(ANSWER, ANSWER, response_format=Ticket, structured_output=kept) == ["valid"] * 2

    def test_of_a_synthesis_call(self) -> None:
        parts: dict[str, Any] = {"response_format": Ticket, "structured_output": FINAL}
        assert verdicts([], "", "no", ANSWER, **parts) == ["empty", "invalid", "invalid", "valid"]
        assert verdicts("Hi.", ["no", ModelEnd("refusal")], **parts) == ["invalid", "refused"]
        assert verdicts("Hi.", [ANSWER, ModelEnd("length")], **parts) == ["invalid", "cut"]
        stray = [ANSWER, Scripted.call("lookup", {"order": "A"})]
        assert verdicts("Hi.", stray, tools=[lookup], **parts) == ["invalid", "valid"]

    def test_an_answer_is_validated_once(self) -> None:
        seen: list[object] = []

        class Counted(BaseModel):
            topic: str

            def model_post_init(self, context: object, /) -> None:
                seen.append(self)

        agent = Agent(Scripted(ANSWER), response_format=Counted, structured_output=FINAL)
        records(agent)
        assert len(seen) == 1


class TestResults:
    @pytest.mark.parametrize(
        ("answer", "given", "value"),
        [(ANSWER, Ticket, {"topic": "order"}), ("null", TypeAdapter(None), None)],
    )
    def test_the_parsed_object_is_the_value_of_its_text(self, answer: str, given: Any, value: Any) -> None:
        last = records(Agent(Scripted("Hi.", answer), response_format=given, structured_output=FINAL))[-1]
        assert isinstance(last, TurnResult)
        assert (last.has_parsed, last.parsed, last.content) == (True, value, answer)

    def test_there_is_none_when_nothing_validates(self) -> None:
        last = records(Agent(Scripted("a", "b", "c"), response_format=Ticket))[-1]
        assert isinstance(last, TurnResult)
        assert (last.has_parsed, last.parsed) == (False, None)
