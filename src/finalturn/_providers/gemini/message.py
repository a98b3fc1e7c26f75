"""Reads the finish reason of a generateContent answer, as Gemini, Vertex AI and servers like them write it.

The source is the reference of ``GenerateContentResponse`` (Gemini API, v1beta, and Vertex AI, v1beta1).
"""

from __future__ import annotations

from finalturn._core.model import FinishReason
from finalturn._providers.gemini.replay import MISSING

_FINISH: dict[str, FinishReason] = {
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "LANGUAGE": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
    "IMAGE_SAFETY": "refusal",
    "IMAGE_PROHIBITED_CONTENT": "refusal",
    "IMAGE_RECITATION": "refusal",
    "MODEL_ARMOR": "refusal",
    "ESCALATION": "refusal",
    # Never said by Google, which says STOP; other servers do.
    "FUNCTION_CALL": "tool_calls",
    "TOOL_CALL": "tool_calls",
    "TOOL_CALLS": "tool_calls",
}

# Reasons by which the model, or the request, has failed, and whether asking again may help: what the model
# writes differs from one time to the next.
FAILURES = {
    "MALFORMED_FUNCTION_CALL": ("the model wrote a tool call that cannot be read", True),
    "MALFORMED_RESPONSE": ("the model wrote an answer that cannot be read", True),
    "UNEXPECTED_TOOL_CALL": ("the model called a tool that it was not given", True),
    "TOO_MANY_TOOL_CALLS": ("the model called too many of the provider's own tools", False),
    MISSING: ("the provider misses a signature of the model's thoughts in the conversation", False),
    "PUP_LIMITED_DISABLED": ("the account is limited for what it was used for", False),
}


def finish_reason(name: str) -> FinishReason:
    """Why the model stopped, when it is none of `FAILURES`."""
    return _FINISH.get(name, "stop")
