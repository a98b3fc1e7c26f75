"""Cases on structured answers and on tokens."""

from __future__ import annotations

from dataclasses import replace

from finalturn._agent import StructuredOutputConfig
from finalturn._core.model import ModelEnd, ModelRequest
from finalturn._core.result import Usage
from finalturn._testing.conformance import needs as needs
from finalturn._testing.conformance.answers import calls, says
from finalturn._testing.conformance.bench import Bench
from finalturn._testing.conformance.case import Case, expect, expect_equal
from finalturn._testing.conformance.scene import (
    LOOKUP,
    PROSE,
    TICKET,
    TICKET_JSON,
    TICKET_VALUE,
    Desk,
    arguments,
    plain,
    ticket,
)

SPENT = Usage(input_tokens=30, cached_tokens=20, output_tokens=12, reasoning_tokens=5, total_tokens=42)
FIRST, SECOND = Usage(7, 0, 3, 0, 10), Usage(20, 0, 5, 0, 25)

FINAL = StructuredOutputConfig(final_turn_only=True)


async def _synthesis(bench: Bench) -> None:
    turn = await bench.turn(tools=Desk().tools(), response_format=TICKET, config=FINAL)
    expect_equal(turn.result.parsed, TICKET_VALUE, "the parsed value")
    expect_equal(turn.result.text, "".join(PROSE), "the content that was shown")


async def _schema_is_sent(bench: Bench) -> None:
    await _expect_schema(bench, plain())


async def _schema_is_sent_with_tools(bench: Bench) -> None:
    request_text = await _expect_schema(bench, plain(LOOKUP))
    expect(LOOKUP.name in request_text, "the provider declares schema and tools together, and sends no tools")


async def _expect_schema(bench: Bench, request: ModelRequest) -> str:
    (await bench.ask(replace(request, output=ticket()))).well()
    request_text = (bench.hooks.sent() or [""])[0]
    expect("zq7xtopic" in request_text, "the provider declares native_schema, and does not send the schema")
    return request_text


async def _refusal_is_told(bench: Bench) -> None:
    turn = await bench.turn(response_format=TICKET, config=FINAL)
    expect_equal(turn.result.structured_status, "not_attempted", "structured_status of a refusal")
    expect_equal(turn.result.stop_reason, "refused", "stop_reason of a refusal")


async def _usage_once(bench: Bench) -> None:
    answered = (await bench.ask(plain())).well()
    usages = [end.usage for end in answered.ends if end.usage is not None]
    expect(bool(usages) or not answered.ends, "no usage (reports_usage = False says that there is none)")
    for usage in usages:
        expect_equal(_figures(usage), _figures(SPENT), "input, output and total tokens")
        parts = (usage.cached_tokens, SPENT.cached_tokens), (usage.reasoning_tokens, SPENT.reasoning_tokens)
        expect(all(part in (0, total) for part, total in parts), f"a part of the tokens is wrong: {usage}")


async def _usage_adds_up(bench: Bench) -> None:
    turn = await bench.turn(tools=Desk().tools())
    expect_equal(_figures(turn.result.usage), _figures(FIRST + SECOND), "the turn's tokens")
    expect_equal(turn.result.usage.unreported_calls, 0, "how many calls reported nothing")


def _figures(usage: Usage) -> tuple[int, int, int]:
    return usage.input_tokens, usage.output_tokens, usage.total_tokens


_TOOL_TURN = (
    calls(("zq7xcall_1", LOOKUP.name, arguments("A-1")), end=ModelEnd("tool_calls", FIRST)),
    says(*PROSE, end=ModelEnd("stop", SECOND)),
)
_SCHEMA = (needs.native_schema, needs.sent)

OUTCOME_CASES = (
    Case("answer-on-result", "synthesis", (says(*PROSE), says(TICKET_JSON)), _synthesis),
    Case("answer-on-result", "schema-sent", (says(TICKET_JSON),), _schema_is_sent, _SCHEMA),
    Case(
        "answer-on-result",
        "schema-sent-with-tools",
        (says(TICKET_JSON),),
        _schema_is_sent_with_tools,
        (needs.schema_with_tools, needs.sent),
    ),
    Case(
        "explicit-outcome",
        "refusal",
        (says("I cannot.", end=ModelEnd("refusal")),),
        _refusal_is_told,
        (needs.refusals,),
    ),
    Case("usage-complete", "call", (says(*PROSE, end=ModelEnd("stop", SPENT)),), _usage_once, (needs.usage,)),
    Case("usage-complete", "turn", _TOOL_TURN, _usage_adds_up, (needs.usage, needs.native_tools)),
)
