"""What has become of the providers that were asked for one model call."""

from __future__ import annotations

import logging
from itertools import product

import pytest

from finalturn import ModelEnd, ModelResponse, ProviderError, ProviderSwitch, Usage
from finalturn._providers.fallback.call import FallbackCall
from finalturn._providers.fallback.members import Members
from tests.providers._fallback import REQUEST, SPENT, UNREPORTED, Named, down

A, B, C = Named("a"), Named("b"), Named("c")
INNER = ProviderSwitch(2, "x", "y", "inner", None, None)


def call(*providers: Named) -> FallbackCall:
    return FallbackCall(Members(providers or (A, B, C)), REQUEST)


def test_it_begins_with_the_first_and_then_asks_the_next() -> None:
    one = call()
    assert one.is_first and one.provider is A
    assert one.goes_on(down())
    assert not one.is_first and one.provider is B
    assert one.goes_on(down())
    assert one.provider is C
    assert not one.goes_on(down())
    assert one.provider is C


def test_the_next_call_begins_where_this_one_has_come_to() -> None:
    members = Members([A, B, C])
    one = FallbackCall(members, REQUEST)
    at_once = FallbackCall(members, REQUEST)
    assert one.goes_on(down()) and one.goes_on(down())
    later = FallbackCall(members, REQUEST)
    assert later.is_first and later.provider is C
    assert at_once.goes_on(down()) and at_once.provider is B, "a call under way keeps its own place"
    assert FallbackCall(members, REQUEST).provider is C


def test_without_a_switch_an_end_is_what_it_is() -> None:
    end, response = ModelEnd("length", SPENT, (INNER,)), ModelResponse("a", usage=SPENT)
    assert call().finish(end) is end
    assert call().finish(response) is response


def test_an_end_says_who_failed_before_and_why() -> None:
    one = call()
    assert one.goes_on(down("no key", status=401, code=None))
    assert one.goes_on(down("busy"))
    switches = (
        ProviderSwitch(2, "a", "b", "no key", 401, None),
        ProviderSwitch(2, "b", "c", "busy", 503, "overloaded"),
    )
    lost = Usage(unreported_calls=3)
    assert one.finish(ModelEnd("length")) == ModelEnd("length", lost, switches)
    assert one.finish(ModelResponse("hi", "hm")) == ModelResponse("hi", "hm", usage=lost, switches=switches)


def test_switches_of_members_stand_where_they_happened() -> None:
    one = call()
    failure = down()
    failure.switches = (INNER,)
    assert one.goes_on(failure)
    found = one.finish(ModelEnd(switches=(INNER,))).switches
    assert [switch.from_provider for switch in found] == ["x", "a", "x"]


@pytest.mark.parametrize(
    ("failed", "answered", "total"),
    [
        ([None], None, UNREPORTED + UNREPORTED),
        ([None], SPENT, UNREPORTED + SPENT),
        ([SPENT], Usage(1), SPENT + Usage(1)),
        ([SPENT], None, SPENT + UNREPORTED),
        ([SPENT, None], Usage(1), SPENT + UNREPORTED + Usage(1)),
        ([SPENT, Usage(2)], Usage(1), SPENT + Usage(3)),
    ],
)
def test_tokens_of_the_failed_count_and_so_do_calls_that_reported_none(
    failed: list[Usage | None], answered: Usage | None, total: Usage | None
) -> None:
    one = call()
    for usage in failed:
        assert one.goes_on(down(usage=usage))
    assert one.finish(ModelEnd(usage=answered)).usage == total
    assert one.finish(ModelResponse(usage=answered)).usage == total
    assert one.broken(down(usage=answered)).usage == total
    assert one.all_failed(down(usage=answered)).usage == total


def test_an_answer_that_broke_off_fails_with_its_own_words() -> None:
    one = call()
    assert one.goes_on(down())
    failure = down("broke off", retryable=True)
    found = one.broken(failure)
    assert found is not failure
    assert str(found) == "broke off"
    assert (found.status, found.code, found.retryable, found.detail) == (
        503,
        "overloaded",
        True,
        "their words",
    )
    assert [switch.reason for switch in found.switches] == ["it is down"]
    assert failure.switches == (), "an exception may be raised again"


@pytest.mark.parametrize("retryable", list(product([True, False], repeat=3)))
def test_all_that_failed_fail_with_every_reason(retryable: tuple[bool, bool, bool]) -> None:
    one = call()
    assert one.goes_on(down("no key", status=401, code=None, detail=None, retryable=retryable[0]))
    assert one.goes_on(down("busy", retryable=retryable[1]))
    found = one.all_failed(down("gone", status=404, code="gone", retryable=retryable[2]))
    assert str(found) == "all 3 providers that were tried failed; the last: gone"
    # Another try begins with the first again.
    assert (found.status, found.code, found.retryable) == (404, "gone", any(retryable))
    assert found.detail == "a: no key\nb: busy (their words)\nc: gone (their words)"
    assert [(switch.from_provider, switch.reason) for switch in found.switches] == [
        ("a", "no key"),
        ("b", "busy"),
    ]


def fails(retryable: bool, retry_after: float | None) -> ProviderError:
    return ProviderError("no", retryable=retryable, retry_after=retry_after)


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ([fails(True, 9.0), fails(True, 4.0), fails(True, 20.0)], 4.0),
        ([fails(True, 9.0), fails(False, 4.0), fails(False, None)], 9.0),
        ([fails(True, 9.0), fails(True, None), fails(False, 1.0)], None),
        ([fails(False, 9.0), fails(False, 5.0), fails(False, 3600.0)], 3600.0),
        ([fails(False, 9.0), fails(False, None), fails(False, None)], None),
    ],
)
def test_the_first_that_may_come_back_says_when(
    failures: list[ProviderError], expected: float | None
) -> None:
    one = call()
    for failure in failures[:-1]:
        assert one.goes_on(failure)
    assert one.all_failed(failures[-1]).retry_after == expected


def test_what_an_earlier_call_of_the_turn_left_behind_may_come_back_too() -> None:
    members = Members((Named("a"), Named("b")))
    assert FallbackCall(members, REQUEST).goes_on(down("busy", retryable=True))
    failure = down("no key", status=401, retryable=False)
    for make in (FallbackCall.all_failed, FallbackCall.broken):
        found = make(FallbackCall(members, REQUEST), failure)
        assert (str(found), found.status, found.retryable) == ("no key", 401, True)
        assert found.switches == ()
    passing = down("busy", retryable=True)
    assert FallbackCall(members, REQUEST).all_failed(passing) is passing


def test_a_switch_is_logged_without_the_vendor_s_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "finalturn.providers")
    call().goes_on(down())
    assert [record.getMessage() for record in caplog.records] == ["model call 2 goes from a to b: it is down"]
    assert caplog.records[0].levelname == "WARNING"
