"""Cases on tool calls."""

from __future__ import annotations

import json
from collections.abc import Sequence

from finalturn._agent import StructuredOutputConfig
from finalturn._core.model import ModelEnd
from finalturn._testing.conformance import needs as needs
from finalturn._testing.conformance.answers import calls, says
from finalturn._testing.conformance.bench import Bench
from finalturn._testing.conformance.case import Case, expect, expect_equal
from finalturn._testing.conformance.scene import (
    CANCEL,
    LOOKUP,
    PROSE,
    TICKET,
    Desk,
    arguments,
    plain,
)

WANTED = (
    ("zq7xcall_1", LOOKUP.name, arguments("A-1")),
    ("zq7xcall_2", LOOKUP.name, arguments("B-2")),
    ("zq7xcall_3", CANCEL.name, arguments("A-1")),
)
BROKEN = '{"zq7xorder": "A-1"'


async def _calls_as_written(bench: Bench) -> None:
    answered = (await bench.ask(plain(LOOKUP, CANCEL))).well()
    # By value: where a vendor sends arguments as an object, their white space is nobody's.
    made_calls = [(call.name, dict(call.arguments)) for call in answered.calls]
    expect_equal(made_calls, [(name, json.loads(text)) for _, name, text in WANTED], "the tool calls")


async def _calls_are_announced(bench: Bench) -> None:
    desk = Desk()
    turn = await bench.turn(tools=desk.tools())
    expect_equal(turn.result.content, "".join(PROSE), "the result's content")
    announced = [call.arguments.get("zq7xorder") for chunk in turn.chunks for call in chunk.tool_calls]
    expect_equal(announced, ["A-1", "B-2"], "the calls that were shown")
    expect_equal(sorted(desk.looked_up), ["A-1", "B-2"], "the calls that were run")


async def _tools_are_offered(bench: Bench) -> None:
    (await bench.ask(plain(LOOKUP))).well()
    request_text = (bench.hooks.sent() or [""])[0]
    for word in (LOOKUP.name, LOOKUP.description, "zq7xorder"):
        expect(word in request_text, f"the request does not carry the tool's {word!r}")


async def _ids_as_written(bench: Bench) -> None:
    answered = (await bench.ask(plain(LOOKUP, CANCEL))).well()
    _expect_ids([call.id for call in answered.calls])


async def _results_carry_ids(bench: Bench) -> None:
    turn = await bench.turn(tools=Desk().tools())
    ids = [message.tool_call_id for message in turn.result.messages if message.tool_name]
    _expect_ids(ids)
    request_texts = bench.hooks.sent()
    if request_texts is not None:
        lost = [call_id for call_id in ids if str(call_id) not in request_texts[-1]]
        expect_equal(lost, [], "the ids that are not sent back with the results")


def _expect_ids(ids: Sequence[str | None]) -> None:
    """Each call has the id that it was sent with; whether a call is missing is another clause's matter."""
    vendor_ids = [call_id for call_id, *_ in WANTED]
    foreign = [call_id for call_id in ids if call_id not in vendor_ids]
    expect_equal(foreign, [], "the ids that the vendor has not given")
    expect_equal(len(set(ids)), len(ids), "how many ids there are for the calls")


async def _broken_stays_broken(bench: Bench) -> None:
    answered = (await bench.ask(plain(LOOKUP))).well()
    if bench.way == "stream":
        pieces = "".join(delta.arguments for delta in answered.deltas)
        expect_equal(pieces, BROKEN, "the text of the arguments, which are not whole")
    errors = [call.error is not None for call in answered.calls]
    expect_equal(errors, [True], "whether the call, whose arguments are not whole, has an error")


async def _cut_text_stays_cut(bench: Bench) -> None:
    config = StructuredOutputConfig(max_validation_retries=0)
    turn = await bench.turn(response_format=TICKET, config=config)
    expect_equal(turn.result.structured_status, "validation_failed", "structured_status of a cut answer")
    expect_equal(turn.result.text, BROKEN, "the text of a cut answer")


async def _cut_is_told(bench: Bench) -> None:
    turn = await bench.turn()
    expect_equal(turn.result.stop_reason, "truncated", "stop_reason of an answer that ends at the limit")


async def _text_call_is_hidden(bench: Bench) -> None:
    desk = Desk()
    turn = await bench.turn(tools=desk.tools())
    expect_equal(turn.result.text, "".join(PROSE), "the content that was shown")
    expect_equal(desk.looked_up, ["A-1"], "the calls that were run")


_THREE = (calls(*WANTED),)
_TWO_TURN = (calls(*WANTED[:2]), says(*PROSE))
_NATIVE = (needs.native_tools,)
_TEXT_CALL = f'<tool_call>{{"name": "{LOOKUP.name}", "arguments": {arguments("A-1")}}}</tool_call>'

CALL_CASES = (
    Case("tool-calls-always-stream", "three-calls", _THREE, _calls_as_written, _NATIVE),
    Case(
        "tool-calls-always-stream", "turn", (calls(*WANTED[:2]), says(*PROSE)), _calls_are_announced, _NATIVE
    ),
    Case("tool-calls-always-stream", "offered", (says(*PROSE),), _tools_are_offered, (*_NATIVE, needs.sent)),
    Case("tool-call-id-native", "three-calls", _THREE, _ids_as_written, (*_NATIVE, needs.call_ids)),
    Case("tool-call-id-native", "turn", _TWO_TURN, _results_carry_ids, (*_NATIVE, needs.call_ids)),
    Case(
        "never-repaired",
        "broken-arguments",
        (calls(("zq7xcall_1", LOOKUP.name, BROKEN)),),
        _broken_stays_broken,
        _NATIVE,
    ),
    Case(
        "never-repaired",
        "cut-arguments",
        (calls(("zq7xcall_1", LOOKUP.name, BROKEN), end=ModelEnd("length")),),
        _broken_stays_broken,
        _NATIVE,
    ),
    Case("never-repaired", "cut-answer", (says(BROKEN, end=ModelEnd("length")),), _cut_text_stays_cut),
    Case("never-repaired", "cut-prose", (says(*PROSE, end=ModelEnd("length")),), _cut_is_told),
    Case(
        "text-tool-calls-hidden",
        "turn",
        (says(_TEXT_CALL[:7], _TEXT_CALL[7:]), says(*PROSE)),
        _text_call_is_hidden,
        (needs.text_tools,),
    ),
)
