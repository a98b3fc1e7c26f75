"""The parts of a generateContent answer, as the Gemini API, Vertex AI and servers like them write them.

The source is the reference of ``GenerateContentResponse`` (Gemini API, v1beta, and Vertex AI, v1beta1).
"""

from __future__ import annotations

from typing import Any

from finalturn.core import json_text
from finalturn.core.model import FinishReason, ToolCallDelta
from finalturn.providers._gemini_contents import DATA
from finalturn.providers._gemini_signatures import MISSING, SIGNATURE
from finalturn.providers._json_types import as_text

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


def call_delta(call: dict[str, Any], *, place: int, signature: str) -> ToolCallDelta:
    """A call, which always comes whole. Most have no id: each part is a call of its own.

    Args:
        call: the ``functionCall`` of a part.
        place: how many calls came before it in the answer.
        signature: the part's ``thoughtSignature``. It must go back with this very call.
    """
    call_id = as_text(call.get("id"))
    kept = {name: value for name, value in (("id", call_id), (SIGNATURE, signature)) if value}
    return ToolCallDelta(
        place,
        call_id or None,
        as_text(call.get("name")),
        _arguments(call.get("args")),
        {DATA: kept} if kept else None,
    )


def in_pieces(call: dict[str, Any]) -> bool:
    """Whether only a part of the call's arguments is here. Vertex AI does so when it is asked to."""
    return bool(call.get("willContinue") or call.get("partialArgs"))


def _arguments(given: object) -> str:
    if given is None:
        # Not "": nothing is missing, even where the answer is cut after it.
        return "{}"
    if isinstance(given, str):
        return given
    try:
        return json_text.encode(given).decode()
    except (RecursionError, ValueError):
        # Nested too deeply to be written: text that is no JSON, so that the call does not run.
        return "["
