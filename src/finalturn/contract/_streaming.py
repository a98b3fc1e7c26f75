"""Clauses on what streams, and what does not."""

from __future__ import annotations

from typing import Any

from finalturn.agent import Agent, AgentStream, StructuredOutputConfig
from finalturn.contract._clause import NEXT, Clause, Family, Stability, Surface
from finalturn.core.chunks import StreamChunk, StreamEvent
from finalturn.core.clauses import ClauseId
from finalturn.core.protocols import Provider, StreamHandler, StreamingProvider
from finalturn.core.result import AgentResult

VISIBLE = frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP})
CARRIES_EVENTS = frozenset({Surface.CHUNKS, Surface.HTTP})


def _clause(
    id: ClauseId,
    stability: Stability,
    surfaces: frozenset[Surface],
    statement: str,
    why: str,
    *about: Any,
) -> Clause:
    return Clause(id, Family.STREAMING, NEXT, stability, surfaces, statement, why, about)


SYNTHESIS_NEVER_STREAMS = _clause(
    "synthesis-never-streams",
    "stable",
    VISIBLE | {Surface.RESULT, Surface.HISTORY},
    "Text of a synthesis call, its retries included, MUST NOT appear on any surface but the terminal result"
    " and the `structured` field of the saved message.",
    "A person would watch raw JSON type itself into the chat bubble.",
    StructuredOutputConfig,
    AgentResult,
)
SYNTHESIS_START_ONCE = _clause(
    "synthesis-start-once",
    "stable",
    CARRIES_EVENTS,
    "`structured_synthesis_start` MUST be shown exactly once when a turn makes a synthesis call, before that"
    " call begins, and never otherwise; retries do not repeat it.",
    "A surface shows a pending state on it; a second one would open a second card.",
    StreamEvent,
)
REUSE_SIGNALLED = _clause(
    "reuse-signalled",
    "stable",
    CARRIES_EVENTS,
    "When the converged answer is reused and text of it was shown, exactly one `structured_reuse` MUST be"
    " shown, after that text and before the result.",
    "The text has been shown; the event is how a surface knows to turn the bubble into the object.",
    StreamEvent,
    StructuredOutputConfig,
)
SINGLE_PASS_SUPPRESSES_CONTENT = _clause(
    "single-pass-suppresses-content",
    "beta",
    VISIBLE,
    "While single_pass is active, content MUST NOT be shown on any surface and no `structured_reuse` is"
    " shown; where the provider cannot combine tools and schema, the turn takes the synthesis path.",
    "Every loop answer may be the object, so none of its text is prose for a person.",
    StructuredOutputConfig,
)
HELD_JSON = _clause(
    "held-json",
    "beta",
    VISIBLE,
    "With hold_json, a JSON block that validates against the schema, or carries one of its required keys,"
    " MUST NOT be shown, wherever it stands in the text; any other block is released whole and in order as"
    " soon as it cannot be the answer, and prose is never delayed.",
    "What was never shown need not be retracted.",
    StructuredOutputConfig,
)
TOOL_CALLS_ALWAYS_STREAM = _clause(
    "tool-calls-always-stream",
    "stable",
    CARRIES_EVENTS,
    "Every requested tool call MUST be announced by one tool-call chunk before it runs, in every mode and"
    " with every provider.",
    "A person should see what an agent is about to do, whatever the mode.",
    StreamChunk,
)
TEXT_TOOL_CALLS_HIDDEN = _clause(
    "text-tool-calls-hidden",
    "beta",
    VISIBLE,
    "The text of a text-encoded tool call MUST NOT be shown as content.",
    "Markup of a call is not prose.",
    Provider,
)
REASONING_APART = _clause(
    "reasoning-apart",
    "stable",
    VISIBLE,
    "Reasoning MUST NOT appear as content.",
    "What a model thinks aloud is not what it says.",
    StreamChunk,
)
EVENTS_CARRY_NO_CONTENT = _clause(
    "events-carry-no-content",
    "stable",
    CARRIES_EVENTS,
    "An event chunk MUST have nothing but its event and the index of its model call.",
    "A surface that appends content blindly would print the event's text.",
    StreamChunk,
    StreamEvent,
)
SKIP_IS_SILENT = _clause(
    "skip-is-silent",
    "stable",
    CARRIES_EVENTS,
    "A turn that should_finalize skips MUST NOT show an event or make another model call.",
    "A plain turn should look and cost like one.",
    StructuredOutputConfig,
)
RESULT_IS_LAST = _clause(
    "result-is-last",
    "stable",
    frozenset({Surface.CHUNKS, Surface.HTTP, Surface.RESULT}),
    "A turn MUST end with exactly one AgentResult, or with an exception and none.",
    "A surface can close its bubble only when it knows that nothing follows.",
    AgentResult,
    AgentStream,
)
HANDLER_PARITY = _clause(
    "handler-parity",
    "stable",
    frozenset({Surface.TOKENS}),
    "The token callback MUST get exactly the shown content, in order, all of it before the result.",
    "A promise that holds on one surface only is not a promise.",
    StreamHandler,
)
SURFACE_PARITY = _clause(
    "surface-parity",
    "stable",
    VISIBLE | {Surface.RESULT},
    "The same provider behaviour MUST give the same content, tool calls, events, parsed value and usage on"
    " run, arun, stream, astream and HTTP.",
    "Behaviour that exists once per surface drifts apart.",
    Agent,
)
WHOLE_REPLY_PARITY = _clause(
    "whole-reply-parity",
    "stable",
    VISIBLE | {Surface.RESULT},
    "A provider without streaming MUST give the same shown sequence as one with it, but for where the"
    " content is cut.",
    "Switching a model's streaming off should change nothing but the pace.",
    Provider,
    StreamingProvider,
)
NO_DOUBLED_TEXT = _clause(
    "no-doubled-text",
    "stable",
    VISIBLE,
    "After the first shown delta of a model call, the call MUST NOT be retried or handed to a fallback.",
    "The beginning of the answer would be shown twice.",
    StreamingProvider,
)
ANSWER_CALL_KNOWN = _clause(
    "answer-call-known",
    "beta",
    CARRIES_EVENTS | {Surface.RESULT},
    "Every chunk MUST name its model call, and the result the one that holds the answer.",
    "Only so can a surface tell narration from the answer.",
    StreamChunk,
    AgentResult,
)
ANSWER_ON_RESULT = _clause(
    "answer-on-result",
    "stable",
    frozenset({Surface.RESULT, Surface.HISTORY}),
    "The answer's JSON text and the parsed value MUST be on the terminal result.",
    "The program behind the chat reads the object there, and nowhere else.",
    AgentResult,
)
DEFAULT_MODE_STREAMS = _clause(
    "default-mode-streams",
    "stable",
    VISIBLE,
    "Without final_turn_only, the answer's text MUST stream as content, rejected attempts included, told"
    " apart by `call`; no event is shown.",
    "Someone who wants the JSON as it is written gets it; what mode a turn is in is no surprise.",
    StructuredOutputConfig,
    StreamChunk,
)
