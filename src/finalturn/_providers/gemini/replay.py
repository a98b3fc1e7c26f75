"""Signatures of a Gemini model's thoughts: what it wants back with its tool calls, or else a stand-in.

The source is the guide "Thought signatures": Gemini 3 and later refuse a request in whose current turn the
first call of a response has none. They refuse one, too, that they cannot read, as it comes from another
model or account.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from finalturn._core.errors import ProviderError

# What it is called in a part.
SIGNATURE = "thoughtSignature"

# For calls that no Gemini model has made. The same guide, on conversations that come from other models.
STAND_IN = "skip_thought_signature_validator"

# The code by which an answer says what a refused request says in words.
MISSING = "MISSING_THOUGHT_SIGNATURE"

Signatures: TypeAlias = Literal["given", "filled", "replaced"]
"""Which ones are sent: those that came with the calls, these and the stand-in where one is missing, or the
stand-in alone."""


def signature_of(own: str, place: int, sent: Signatures) -> str:
    """The signature to send with a call; ``""`` for none.

    Args:
        own: the one that came with it, if any.
        place: how many calls stand before it in its response. Only the first one needs one.
    """
    if sent == "replaced":
        own = ""
    return STAND_IN if not own and place == 0 and sent != "given" else own


def other_signatures(failure: ProviderError, sent: Signatures) -> Signatures | None:
    """Which signatures of thoughts to send after a failure instead of those that were sent.

    Returns:
        ``None`` when the failure was for something else, or nothing is left to be tried.
    """
    words = (failure.detail or "").lower().replace("_", " ")
    missing = failure.code == MISSING
    if not missing and not (failure.status == 400 and "thought signature" in words):
        return None
    if sent == "given" and (missing or "missing" in words):
        return "filled"
    return None if sent == "replaced" else "replaced"
