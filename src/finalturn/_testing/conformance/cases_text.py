"""Cases on text and reasoning."""

from __future__ import annotations

from finalturn._testing.conformance import needs as needs
from finalturn._testing.conformance.answers import says
from finalturn._testing.conformance.bench import Bench
from finalturn._testing.conformance.case import Case, expect, expect_equal
from finalturn._testing.conformance.scene import PROSE, plain

# Pieces that are cut inside words, of white space alone, and of characters beyond the basic plane.
PIECES = ("Hé", "llo, \n", "\n", " \U0001f44b\U0001f3fd wor", "ld\u2028 ")
THOUGHT = ("Let me ", "think.")


async def _text_as_written(bench: Bench) -> None:
    answered = (await bench.ask(plain())).well()
    expect_equal(answered.text, "".join(PIECES), "the text")
    expect_equal(answered.calls, (), "the tool calls")


async def _finish_reason_as_written(bench: Bench) -> None:
    answered = (await bench.ask(plain())).well()
    reasons = sorted({end.finish_reason for end in answered.ends})
    expect(reasons in ([], ["stop"]), f"finish_reason: wanted 'stop', got {reasons}")


async def _reasoning_is_apart(bench: Bench) -> None:
    answered = (await bench.ask(plain())).well()
    expect_equal(answered.text, "".join(PROSE), "the text")
    expect_equal(
        answered.reasoning,
        "".join(THOUGHT),
        "the reasoning (supports_reasoning = False says that the vendor sends none)",
    )


async def _reasoning_is_shown_apart(bench: Bench) -> None:
    turn = await bench.turn()
    expect_equal(turn.result.text, "".join(PROSE), "the content that was shown")
    expect_equal(turn.reasoning, "".join(THOUGHT), "the reasoning that was shown")


_THOUGHTFUL = (says(*PROSE, reasoning=THOUGHT),)

TEXT_CASES = (
    Case("whole-reply-parity", "text", (says(*PIECES),), _text_as_written),
    Case("whole-reply-parity", "finish-reason", (says(*PROSE),), _finish_reason_as_written),
    Case("reasoning-apart", "call", _THOUGHTFUL, _reasoning_is_apart, (needs.reasoning,)),
    Case("reasoning-apart", "turn", _THOUGHTFUL, _reasoning_is_shown_apart, (needs.reasoning,)),
)
