"""The promises about messages: those of tools, and the history that a turn leaves."""

from __future__ import annotations

from finalturn._agent import Agent
from finalturn._contract.checks import messages as messages
from finalturn._contract.checks import tools as tools
from finalturn._contract.clauses.clause import Clause, Family, Surface
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import SessionStore, ToolGate
from finalturn._core.result import AgentResult

__all__ = [
    "HISTORY_IS_WHAT_WAS_SHOWN",
    "HISTORY_REPLAYABLE",
    "ROUND_TRIP_EXACT",
    "SEEDED_MESSAGES_UNTOUCHED",
    "TOOL_CALL_ID_NATIVE",
    "TOOL_MESSAGES_IN_CALL_ORDER",
    "TOOL_NAME_ALWAYS",
    "TOOL_RESULT_MARKS_SUCCESS",
]

TOOL_NAME_ALWAYS = Clause(
    id="tool-name-always",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement="Every TOOL message that the executor appends MUST have `tool_name`.",
    why="Some vendors refuse a whole conversation in which one result has no name.",
    about=(Message,),
    check=tools.tool_name_always,
)
TOOL_RESULT_MARKS_SUCCESS = Clause(
    id="tool-result-marks-success",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "`tool_result` MUST be the result text exactly when the tool ran and returned, the empty"
        " string included; it is `None` for an error, a timeout, an unknown tool, bad arguments, and a"
        " denial by policy, approval or coherence, whose text is in `content`."
    ),
    why="A program must be able to tell a failure from a result that looks like one.",
    about=(Message, ToolGate),
    kept_by=("finalturn._tools.outcomes",),
    check=tools.tool_result_marks_success,
)
TOOL_CALL_ID_NATIVE = Clause(
    id="tool-call-id-native",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "`tool_call_id` MUST be set for native tool calls, and be `None` for calls that were parsed"
        " from text."
    ),
    why="Vendors pair results with calls by it.",
    about=(Message, ToolCall),
    kept_by=("finalturn._core.assembly", "finalturn._core.textcalls"),
    check=tools.tool_call_id_native,
)
TOOL_MESSAGES_IN_CALL_ORDER = Clause(
    id="tool-messages-in-call-order",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement="There MUST be one TOOL message for each call, in call order, parallel or not.",
    why="A conversation should not depend on which tool was faster.",
    about=(Message,),
    kept_by=("finalturn._tools.run",),
    check=tools.tool_messages_in_call_order,
)
SEEDED_MESSAGES_UNTOUCHED = Clause(
    id="seeded-messages-untouched",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement="Messages given by the caller MUST keep whatever fields they had.",
    why="The history is the caller's.",
    about=(Message,),
    kept_by=("finalturn._agent.prepare", "finalturn._agent.input"),
    check=messages.seeded_messages_untouched,
)
ROUND_TRIP_EXACT = Clause(
    id="round-trip-exact",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "`Message.from_dict(message.to_dict())` MUST equal the message; nothing is rewritten on load."
    ),
    why='A `None` that becomes "null", or a text that is trimmed, is data lost.',
    about=(Message,),
    kept_by=("finalturn._core.message_dict",),
    check=messages.round_trip_exact,
)
HISTORY_REPLAYABLE = Clause(
    id="history-replayable",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "What a turn leaves in history, cancelled at any point, MUST be accepted by every provider's encoder."
    ),
    why="One call without its result makes every later turn of the session fail.",
    about=(Message, SessionStore),
    kept_by=("finalturn._core.history",),
)
HISTORY_IS_WHAT_WAS_SHOWN = Clause(
    id="history-is-what-was-shown",
    family=Family.MESSAGES,
    since="0.1.0",
    stability="beta",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "The saved turn MUST be what the person saw, with the structured answer attached; the"
        " synthesis exchange is not in it."
    ),
    why="Otherwise a reloaded chat differs from the one that was had.",
    about=(Message, Agent, AgentResult),
    check=messages.history_is_what_was_shown,
)
