"""Cases on how an answer ends: well, once; or with an error that says what may be said."""

from __future__ import annotations

from traceback import format_exception_only
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelSettings
from finalturn._testing.conformance.answers import ScriptedAnswer, breaks_off, fails, says
from finalturn._testing.conformance.bench import Answered, Bench, NotRunError
from finalturn._testing.conformance.case import Case, expect, expect_equal
from finalturn._testing.conformance.scene import PROSE, Desk, plain

# A provider may ask again as long as nothing was given out: each time the same comes.
ATTEMPTS = 12

SETTINGS: dict[str, Any] = {
    "temperature": 0.5,
    "top_p": 0.9,
    "max_tokens": 500,
    "seed": 7,
    "stop": ["<end>"],
    "tool_choice": "none",
}

BODY = "zq7xbody"
ONCE = "zq7xonce "


async def _plain_turn(bench: Bench) -> None:
    turn = await bench.turn()
    expect_equal(turn.result.content, "".join(PROSE), "the result's content")
    expect_equal(turn.result.stop_reason, "completed", "stop_reason")


async def _one_end(bench: Bench) -> None:
    answered = (await bench.ask(plain())).well()
    expect(
        not answered.unexpected_types,
        f"it gave what is no ModelEvent: {', '.join(answered.unexpected_types)}",
    )
    expect_equal(len(answered.ends), 1, "how many ModelEnds there are")
    expect_equal(type(answered.events[-1]).__name__, "ModelEnd", "the last event")


async def _turn_with_settings(bench: Bench) -> None:
    settings = {name: value for name, value in SETTINGS.items() if name not in bench.unsupported_settings}
    turn = await bench.turn(tools=Desk().tools(), settings=ModelSettings(**settings))
    expect_equal(
        turn.result.content, "".join(PROSE), "the result's content, with every setting that it takes"
    )


def _expect_failure(answered: Answered, when: str) -> None:
    if answered.error is None:
        # A stream that just ends has failed: an agent raises for it.
        expect(not answered.ends, f"{when}, and the provider gave an answer that ended well")
    else:
        name = type(answered.error).__name__
        expect(isinstance(answered.error, ProviderError), f"{when}: wanted a ProviderError, got a {name}")


async def _failure_is_raised(bench: Bench) -> None:
    answered = await bench.ask(plain())
    _expect_failure(answered, "the vendor refused the request")


async def _no_result_after_failure(bench: Bench) -> None:
    _expect_failure(await bench.ask(plain()), "the answer broke off")
    turn = await bench.turn()
    expect(turn.ended is None, "the answer broke off, and the turn has a result")


async def _given_out_once(bench: Bench) -> None:
    answered = await bench.ask(plain())
    if ONCE not in answered.text:
        raise NotRunError("nothing was given out before the failure")
    expect_equal(answered.text.count(ONCE), 1, "how often the first piece was given out")
    request_texts = bench.hooks.sent()
    if request_texts is not None:
        expect_equal(len(request_texts), 1, "how many requests were made, with one answer begun")


async def _error_is_clean(bench: Bench) -> None:
    answered = await bench.ask(plain())
    error = answered.error
    if error is None:
        raise NotRunError("no error was raised, which result-is-last decides about")
    shown = "".join(format_exception_only(error)) + repr(error) + str(getattr(error, "code", ""))
    for word, content in (
        (BODY, "the vendor's words; they go into detail"),
        (ONCE.strip(), "text of the model"),
        (bench.hooks.secret, "the key"),
    ):
        expect(word not in shown, f"the error's text holds {content}")


def _refusal(status: int = 400, words: str = "It failed.") -> ProviderError:
    return ProviderError("the scripted vendor fails", status=status, code="scripted_code", detail=words)


def _forever(answer: ScriptedAnswer) -> tuple[ScriptedAnswer, ...]:
    return (answer,) * ATTEMPTS


PLAIN_TURN = Case("result-is-last", "plain-turn", (says(*PROSE),), _plain_turn)
"""The simplest of all cases: where it fails, a provider that fails in another one tells nothing."""

_FAILS_LATE = _forever(fails(_refusal(503), ONCE))
_FAILS_WITH_WORDS = _forever(fails(_refusal(500, BODY), ONCE))
_BREAKS = _forever(breaks_off(ONCE))

END_CASES = (
    PLAIN_TURN,
    Case("result-is-last", "one-end", (says(*PROSE),), _one_end, ways=("stream",)),
    Case("result-is-last", "every-setting", (says(*PROSE),), _turn_with_settings),
    Case("result-is-last", "vendor-refuses", _forever(fails(_refusal())), _failure_is_raised),
    Case("result-is-last", "vendor-fails-late", _FAILS_LATE, _no_result_after_failure),
    Case("result-is-last", "connection-breaks", _BREAKS, _no_result_after_failure),
    Case("no-doubled-text", "vendor-fails-late", _FAILS_LATE, _given_out_once, ways=("stream",)),
    Case("no-doubled-text", "connection-breaks", _BREAKS, _given_out_once, ways=("stream",)),
    Case("errors-are-clean", "vendor-refuses", _forever(fails(_refusal(401, BODY))), _error_is_clean),
    Case("errors-are-clean", "vendor-fails-late", _FAILS_WITH_WORDS, _error_is_clean),
)
