"""Clauses on messages and history."""

from __future__ import annotations

from typing import Any

from finalturn.agent import Agent
from finalturn.contract._clause import NEXT, Clause, Family, Stability, Surface
from finalturn.core.clauses import ClauseId
from finalturn.core.messages import Message, ToolCall
from finalturn.core.protocols import SessionStore, ToolGate
from finalturn.core.result import AgentResult

RECORDED = frozenset({Surface.RESULT, Surface.HISTORY})


def _clause(id: ClauseId, statement: str, why: str, *about: Any, stability: Stability = "stable") -> Clause:
    return Clause(id, Family.MESSAGES, NEXT, stability, RECORDED, statement, why, (Message, *about))


TOOL_NAME_ALWAYS = _clause(
    "tool-name-always",
    "Every TOOL message that the executor appends MUST have `tool_name`.",
    "Some vendors refuse a whole conversation in which one result has no name.",
)
TOOL_RESULT_MARKS_SUCCESS = _clause(
    "tool-result-marks-success",
    "`tool_result` MUST be the result text exactly when the tool ran and returned, the empty string"
    " included; it is `None` for an error, a timeout, an unknown tool, bad arguments, and a denial by"
    " policy, approval or coherence, whose text is in `content`.",
    "A program must be able to tell a failure from a result that looks like one.",
    ToolGate,
)
TOOL_CALL_ID_NATIVE = _clause(
    "tool-call-id-native",
    "`tool_call_id` MUST be set for native tool calls, and be `None` for calls that were parsed from text.",
    "Vendors pair results with calls by it.",
    ToolCall,
)
TOOL_MESSAGES_IN_CALL_ORDER = _clause(
    "tool-messages-in-call-order",
    "There MUST be one TOOL message for each call, in call order, parallel or not.",
    "A conversation should not depend on which tool was faster.",
)
SEEDED_MESSAGES_UNTOUCHED = _clause(
    "seeded-messages-untouched",
    "Messages given by the caller MUST keep whatever fields they had.",
    "The history is the caller's.",
)
ROUND_TRIP_EXACT = _clause(
    "round-trip-exact",
    "`Message.from_dict(message.to_dict())` MUST equal the message; nothing is rewritten on load.",
    'A `None` that becomes "null", or a text that is trimmed, is data lost.',
)
HISTORY_REPLAYABLE = _clause(
    "history-replayable",
    "What a turn leaves in history, cancelled at any point, MUST be accepted by every provider's encoder.",
    "One call without its result makes every later turn of the session fail.",
    SessionStore,
)
HISTORY_IS_WHAT_WAS_SHOWN = _clause(
    "history-is-what-was-shown",
    "The saved turn MUST be what the person saw, with the structured answer attached; the synthesis"
    " exchange is not in it.",
    "Otherwise a reloaded chat differs from the one that was had.",
    Agent,
    AgentResult,
    stability="beta",
)
