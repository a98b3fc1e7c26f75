"""Ids of calls that a server does not take."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.openai_chat.ids import fitting_id
from finalturn._providers.openai_chat.profile import ANY_ID, SHORT_ID

NINE = re.compile(r"[a-zA-Z0-9]{9}")


@pytest.mark.parametrize(
    ("call_id", "accepted"), [("pcZFHqej8", NINE), ("call_1", SHORT_ID), ("x" * 200, ANY_ID)]
)
def test_one_that_fits_stays(call_id: str, accepted: re.Pattern[str]) -> None:
    assert fitting_id(call_id, accepted) == call_id


def test_another_becomes_always_the_same() -> None:
    # Written down, so that a stored conversation reads the same to a server's cache after an upgrade.
    assert fitting_id("call_0", NINE) == fitting_id("call_0", NINE) == "KF2zkMM7i"
    assert fitting_id("call_1", NINE) != fitting_id("call_0", NINE)


@given(st.text(st.characters(codec=None)), st.sampled_from([NINE, SHORT_ID]))
def test_what_comes_out_fits(call_id: str, accepted: re.Pattern[str]) -> None:
    assert accepted.fullmatch(fitting_id(call_id, accepted))
