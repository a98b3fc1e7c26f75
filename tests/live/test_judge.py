"""llmock breaks streams, refuses and stalls, and judges what each provider makes of it.

The verdict is strict: a warning fails too. Where the judge would rather see a stream asked for again after a
part of it was shown, finalturn's contract has another view (`ProviderError`, and nobody is shown an answer
twice): the tests of these name the exact verdict. The caller who then asks again passes it.
"""

from __future__ import annotations

import pytest

from finalturn._core.errors import ProviderError
from tests.live._asking import question, turn, watch
from tests.live._formats import OF_LLMOCK, Make, each, name_of
from tests.live._judge import Judge, faults, findings

pytestmark = [pytest.mark.live, pytest.mark.anyio]

SAID = "Six plain words, one by one."
ASK = question("hello")
WEATHER = "What is the weather in Oslo? Use get_weather."

# How many records each format sends until a word of the text is out.
UNTIL_TEXT = {"chat": 2, "responses": 5, "anthropic": 4, "gemini": 1}
# What the judge says when a stream is broken off and not asked for again.
UNHEALED = {
    "truncate": ("error", "truncated_stream_accepted"),
    "disconnect": ("warning", "gave_up"),
    "corrupt": ("warning", "malformed_chunk_ignored"),
}
each_fault = pytest.mark.parametrize("fault", UNHEALED)


def until_text(make: Make) -> int:
    return UNTIL_TEXT[name_of(make).partition("-")[0]]


def plan(judge: Judge, fault: str, after_chunks: int) -> None:
    {"truncate": judge.truncate, "disconnect": judge.disconnect, "corrupt": judge.corrupt}[fault](
        after_chunks=after_chunks
    )


def assert_healed(judge: Judge, fault: str) -> None:
    """The judge has nothing to say against it.

    A corrupt stream goes on: if the server has sent all of it before it sees that nobody reads any more,
    the next attempt is a new call to the judge, and the warning stays.
    """
    judge.assert_resilient(strict=fault != "corrupt")


@each(OF_LLMOCK)
async def test_a_stream_waits_as_long_as_it_is_told_to(judge: Judge, make: Make) -> None:
    judge.rate_limit(times=1, retry_after=1).reply(SAID)
    async with make(judge.url) as provider:
        assert (await watch(provider, ASK)).text == SAID
    assert faults(judge) == ["scenario:429", None]
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_whole_reply_waits_as_long_as_it_is_told_to(judge: Judge, make: Make) -> None:
    judge.rate_limit(times=1, retry_after=1).reply(SAID)
    async with make(judge.url) as provider:
        assert (await provider.complete(ASK)).content == SAID
    assert faults(judge) == ["scenario:429", None]
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_turn_waits_as_long_as_it_is_told_to(judge: Judge, make: Make) -> None:
    judge.rate_limit(times=1, retry_after=1)
    async with make(judge.url) as provider:
        shown, cities, result = await turn(provider, WEATHER)
    assert len(cities) == 1
    assert shown == result.text and shown
    assert faults(judge) == ["scenario:429", None, None]
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_an_outage_is_not_stormed(judge: Judge, make: Make) -> None:
    judge.outage()
    async with make(judge.url) as provider:
        seen = await watch(provider, ASK)
    assert seen.failure is not None
    assert (seen.failure.status, seen.failure.retryable) == (503, True)
    assert len(judge.requests) == 3
    judge.assert_resilient()


@each(OF_LLMOCK)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_what_no_retry_can_fix_is_not_retried(judge: Judge, make: Make, status: int) -> None:
    judge.fail(status, times=None)
    async with make(judge.url) as provider:
        seen = await watch(provider, ASK)
    assert seen.failure is not None
    assert (seen.failure.status, seen.failure.retryable) == (status, False)
    assert len(judge.requests) == 1
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
@each_fault
@pytest.mark.parametrize("first", [True, False], ids=["first-record", "last-before-text"])
async def test_a_stream_that_breaks_before_any_text_is_asked_for_again(
    judge: Judge, make: Make, fault: str, first: bool
) -> None:
    plan(judge.reply(SAID).reply(SAID), fault, 0 if first else until_text(make) - 1)
    async with make(judge.url) as provider:
        seen = await watch(provider, ASK)
    assert (seen.text, seen.failure) == (SAID, None)
    assert len(judge.requests) == 2
    assert_healed(judge, fault)


@each(OF_LLMOCK)
@each_fault
async def test_a_stream_that_breaks_after_text_fails_and_the_caller_may_ask_again(
    judge: Judge, make: Make, fault: str
) -> None:
    plan(judge.reply(SAID).reply(SAID), fault, until_text(make))
    async with make(judge.url) as provider:
        seen = await watch(provider, ASK)
        assert seen.text == "Six "
        assert seen.failure is not None
        # Text was shown, so the provider itself must not ask again: the caller is told instead, which the
        # judge cannot see from the wire.
        assert findings(judge) == [UNHEALED[fault]]
        again = await watch(provider, ASK)
    assert (again.text, again.failure) == (SAID, None)
    assert len(judge.requests) == 2
    assert_healed(judge, fault)


@each(OF_LLMOCK)
@each_fault
async def test_a_turn_that_breaks_after_text_fails_and_may_be_had_again(
    judge: Judge, make: Make, fault: str
) -> None:
    plan(judge.reply(SAID).reply(SAID), fault, until_text(make))
    async with make(judge.url) as provider:
        with pytest.raises(ProviderError):
            await turn(provider, "hello")
        assert findings(judge) == [UNHEALED[fault]]
        shown, _, result = await turn(provider, "hello")
    assert shown == result.text == SAID
    assert_healed(judge, fault)


@each(OF_LLMOCK)
@each_fault
@pytest.mark.parametrize("after_chunks", [0, 2, 4])
async def test_half_a_call_is_not_run(judge: Judge, make: Make, fault: str, after_chunks: int) -> None:
    city = "Oslo, and if that is too far then Quito"
    judge.call_tool("get_weather", {"city": city}).call_tool("get_weather", {"city": city})
    plan(judge, fault, after_chunks)
    cities: list[str] = []
    async with make(judge.url) as provider:
        try:
            await turn(provider, WEATHER, cities=cities)
        except ProviderError:
            # Pieces of the call were given out, so it was not asked for again.
            assert findings(judge) == [UNHEALED[fault]]
            assert cities == []
        else:
            # Each answer that came whole was a call, but the last.
            assert cities == [city] * (faults(judge).count(None) - 1) != []
            assert_healed(judge, fault)


@each(OF_LLMOCK)
async def test_a_stall_before_any_text_is_a_reason_to_ask_again(judge: Judge, make: Make) -> None:
    judge.stall(after_chunks=until_text(make) - 1, seconds=60).reply(SAID).reply(SAID)
    async with make(judge.url, read_timeout=2.0) as provider:
        seen = await watch(provider, ASK)
    assert (seen.text, seen.failure) == (SAID, None)
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_stall_after_text_fails(judge: Judge, make: Make) -> None:
    judge.stall(after_chunks=until_text(make), seconds=60).reply(SAID).reply(SAID)
    async with make(judge.url, read_timeout=2.0) as provider:
        seen = await watch(provider, ASK)
        assert seen.text == "Six "
        assert seen.failure is not None and seen.failure.retryable
        assert (await watch(provider, ASK)).text == SAID
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
async def test_a_slow_start_is_waited_for(judge: Judge, make: Make) -> None:
    judge.slow_first_token(1.0).reply(SAID)
    async with make(judge.url) as provider:
        seen = await watch(provider, ASK)
    assert (seen.text, seen.failure) == (SAID, None)
    assert len(judge.requests) == 1
    judge.assert_resilient(strict=True)


@each(OF_LLMOCK)
@pytest.mark.parametrize("kind", ["malformed_arguments", "unknown_tool"])
async def test_a_broken_call_is_told_to_the_model_and_not_run(judge: Judge, make: Make, kind: str) -> None:
    judge.break_tool_call(kind)
    async with make(judge.url) as provider:
        shown, cities, result = await turn(provider, WEATHER)
    assert cities == []
    assert shown == result.text and shown
    assert (result.model_calls, result.stop_reason) == (2, "completed")
    judge.assert_resilient(strict=True)
