"""The parts of a Converse answer that are not its content: why it ended, its errors.

After the "Amazon Bedrock API Reference": `MessageStopEvent`, `ConverseStreamOutput`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from finalturn._core.errors import ProviderError
from finalturn._core.model import FinishReason
from finalturn._providers.errors.failures import error_in_answer
from finalturn._providers.json_types import as_object, as_text

_FINISH: dict[str, FinishReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    # Of a model that stopped in the midst of tools of its own.
    "pause_turn": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
    "refusal": "refusal",
}
# Reasons by which the service says that there is no answer.
_FAILED = frozenset({"malformed_model_output", "malformed_tool_use"})

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


def finish_reason(stop_reason: object) -> FinishReason | None:
    """Why the model stopped; ``None`` when it did not stop by itself but failed."""
    name = as_text(stop_reason).lower()
    return None if name in _FAILED else _FINISH.get(name, "stop")


def reported_error(name: str, record: object, *, secret: str | None) -> ProviderError:
    """The service has reported an error in its answer.

    Args:
        name: its name, such as ``throttlingException``; ``""`` when there is none.
        record: the record that says what is wrong.
        secret: the key, which is taken out of whatever it says.
    """
    fields = as_object(record)
    words = (as_text(fields.get(field)) for field in ("message", "Message", "originalMessage"))
    message = " / ".join(filter(None, words)) or name
    return error_in_answer({**fields, "type": name, "message": message}, secret=secret)


def error_code(headers: Mapping[str, str]) -> str | None:
    """The name of an error from the headers of an answer; a namespace or an address may stand around it."""
    name = headers.get("x-amzn-errortype", "").partition(":")[0].rpartition("#")[2].strip()
    return name if _CODE.fullmatch(name) else None
