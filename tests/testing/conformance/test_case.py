"""What a check says when a clause is broken."""

from __future__ import annotations

import pytest

from finalturn._testing.conformance.bench import ViolatedError
from finalturn._testing.conformance.case import expect, expect_equal


def test_nothing_is_said_when_it_is_right() -> None:
    expect(True, "never said")
    expect_equal([1], [1], "the list")


def test_what_was_wanted_and_what_came() -> None:
    with pytest.raises(ViolatedError, match=r"^the text: wanted 'a', got 'b'$"):
        expect_equal("b", "a", "the text")
    with pytest.raises(ViolatedError, match=r"^no end$"):
        expect(False, "no end")
