"""Traces of turns that go as they should, and ways to break them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from finalturn import Agent, Capabilities, Limits, Message, ModelEnd, StructuredOutputConfig, Usage
from finalturn.contract import Clause, Record, Trace, verify
from finalturn.providers import Scripted
from tests.contract._scenes import ANSWER, COMBINED, FINAL, HOLD, INVALID, PARTIALS, SINGLE, Ticket, skipping
from tests.contract._scenes import fail as failing
from tests.contract._scenes import hand_over as handing_over
from tests.contract._scenes import lookup as looking_up
from tests.contract_package._recorded import left_after

LOOKUP, FAIL = Scripted.call("lookup", {"order": "A"}), Scripted.call("fail", {"order": "B"})
ASK, USED = Scripted.call("ask", {"task": "find it"}), Usage(output_tokens=3)
TEXT_CALL = '<tool_call>{"name": "lookup", "arguments": {"order": "A"}}</tool_call>'
ASKED = StructuredOutputConfig(final_turn_only=True, should_finalize=lambda messages, text: True)
NO_REUSE = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False)
HISTORY = [Message.user("Hi."), Message.assistant("Hello."), Message.user("Where is my order?")]

# What the model does, and how the agent is set up.
TURNS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "plain": (([Scripted.reasoning("hm"), "Hel", "lo", Usage(output_tokens=3)],), {"response_format": None}),
    "tools": ((["Look. ", LOOKUP, FAIL], "Done."), {"response_format": None}),
    "text tools": (
        (f"Look. {TEXT_CALL}", "Done."),
        {"response_format": None, "capabilities": Capabilities(native_tools=False)},
    ),
    "limit": (([LOOKUP], [LOOKUP]), {"max_iterations": 2, "structured_output": FINAL}),
    "a limit": ((["Look. ", LOOKUP],), {"limits": Limits(requests=1), "structured_output": FINAL}),
    "too many tools": (
        (["Look. ", LOOKUP, FAIL],),
        {"limits": Limits(tool_calls=1), "structured_output": FINAL},
    ),
    "default": ((INVALID, ANSWER), {}),
    "given up": (("one", "two", "three"), {}),
    "reuse": (([ANSWER[:5], ANSWER[5:]],), {"structured_output": FINAL}),
    "held": ((["Look.\n", LOOKUP], f"{ANSWER}\n"), {"structured_output": HOLD}),
    "refused": ((["No.", ModelEnd("refusal")],), {"structured_output": FINAL}),
    "synthesis": ((["Look. ", LOOKUP], "Done.", INVALID, ANSWER), {"structured_output": FINAL}),
    "partials": (("Done.", [ANSWER[:20], ANSWER[20:30], ANSWER[30:]]), {"structured_output": PARTIALS}),
    "no reuse": ((ANSWER, ANSWER), {"structured_output": NO_REUSE}),
    "asked": ((["Look. ", LOOKUP], "Done.", ANSWER), {"structured_output": ASKED, "context": ["Be brief."]}),
    "skip": (("Hello",), {"structured_output": skipping(True)}),
    "an agent": (([ASK, LOOKUP, USED], ANSWER), {}),
    "single_pass": ((["Look. ", LOOKUP], ANSWER), {"structured_output": SINGLE, "capabilities": COMBINED}),
}


@cache
def clean(name: str) -> Trace:
    """The trace of such a turn, as it should be."""
    calls, parts = TURNS[name]
    given: dict[str, Any] = {"response_format": Ticket, **parts}
    script = Scripted(*calls, capabilities=given.pop("capabilities", None))
    inner = Agent(Scripted(["Found ", "it.", USED]))
    asking = inner.as_tool("ask", "Finds things out.", show=True)
    agent: Agent[Any] = Agent(script, tools=[looking_up, failing, handing_over, asking], **given)
    return left_after(agent, HISTORY, None)


def place(trace: Trace, kind: type[Record], number: int = 0) -> int:
    """The place of the record of a kind; a negative number counts from the end."""
    return [at for at, one in enumerate(trace.records) if isinstance(one, kind)][number]


def changed(trace: Trace, at: int, **fields: Any) -> Trace:
    """With other fields in a record."""
    records = list(trace.records)
    records[at] = replace(records[at], **fields)
    return Trace(tuple(records))


def added(trace: Trace, at: int, *records: Record) -> Trace:
    """With records before a place."""
    return Trace((*trace.records[:at], *records, *trace.records[at:]))


def without(trace: Trace, *places: int) -> Trace:
    """Without the records at some places."""
    return Trace(tuple(one for at, one in enumerate(trace.records) if at not in places))


def violations(trace: Trace, clause: Clause) -> list[tuple[int | None, str]]:
    """What breaks a clause: the records, and what was expected."""
    found = verify(trace, [clause])
    return [(one.record, one.text) for one in found if one.outcome == "violated"]
