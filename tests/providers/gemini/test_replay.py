"""Which signatures of thoughts go back, and which take their place."""

from __future__ import annotations

import pytest

from finalturn._core.errors import ProviderError
from finalturn._providers.gemini.replay import (
    MISSING,
    STAND_IN,
    Signatures,
    other_signatures,
    signature_of,
)


@pytest.mark.parametrize(
    ("sent", "first", "bare", "second"),
    [("given", "s", "", "s"), ("filled", "s", STAND_IN, "s"), ("replaced", STAND_IN, STAND_IN, "")],
)
def test_only_the_first_call_needs_one(sent: Signatures, first: str, bare: str, second: str) -> None:
    assert signature_of("s", 0, sent) == first
    assert signature_of("", 0, sent) == bare
    assert signature_of("s", 1, sent) == second
    assert signature_of("", 1, sent) == ""


def refused(words: str, status: int = 400) -> ProviderError:
    return ProviderError("no", status=status, detail=words)


@pytest.mark.parametrize(
    ("failure", "then"),
    [
        (refused("Function call is missing a thought_signature in functionCall parts."), "filled"),
        (ProviderError("no", code=MISSING), "filled"),
        (refused("Corrupted thought signature."), "replaced"),
        (refused("Unable to submit request because Thought signature is not valid."), "replaced"),
        (refused("Corrupted thought signature.", 500), None),
        (refused("no such thing"), None),
        (ProviderError("no"), None),
    ],
)
def test_what_is_tried_next(failure: ProviderError, then: Signatures | None) -> None:
    assert other_signatures(failure, "given") == then


def test_what_has_been_tried_is_not_tried_again() -> None:
    missing = refused("is missing a thought_signature")
    assert other_signatures(missing, "filled") == "replaced"
    assert other_signatures(missing, "replaced") is None
