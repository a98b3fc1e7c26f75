"""The promises about what a person sees while a turn streams, and what they never see."""

from __future__ import annotations

from finalturn._agent import Agent, AgentStream, StructuredOutputConfig
from finalturn._contract.checks import content as content
from finalturn._contract.checks import ends as ends
from finalturn._contract.checks import events as events
from finalturn._contract.checks import outcome as outcome
from finalturn._contract.checks import tools as tools
from finalturn._contract.clauses.clause import Clause, Family, Surface
from finalturn._core.chunks import NestedActivity, PartialObject, StreamChunk, StreamEvent
from finalturn._core.protocols import Provider, StreamHandler, StreamingProvider
from finalturn._core.result import AgentResult
from finalturn.stability import NEXT

__all__ = [
    "ANSWER_CALL_KNOWN",
    "ANSWER_ON_RESULT",
    "DEFAULT_MODE_STREAMS",
    "EVENTS_CARRY_NO_CONTENT",
    "HANDLER_PARITY",
    "HELD_JSON",
    "NESTED_ACTIVITY_APART",
    "NO_DOUBLED_TEXT",
    "PARTIAL_OBJECTS",
    "REASONING_APART",
    "RESULT_IS_LAST",
    "REUSE_SIGNALLED",
    "SINGLE_PASS_SUPPRESSES_CONTENT",
    "SKIP_IS_SILENT",
    "SURFACE_PARITY",
    "SYNTHESIS_NEVER_STREAMS",
    "SYNTHESIS_START_ONCE",
    "TEXT_TOOL_CALLS_HIDDEN",
    "TOOL_CALLS_ALWAYS_STREAM",
    "WHOLE_REPLY_PARITY",
]

SYNTHESIS_NEVER_STREAMS = Clause(
    id="synthesis-never-streams",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "Text of a synthesis call, its retries included, MUST NOT appear on any surface but the"
        " terminal result and the `structured` field of the saved message."
    ),
    why="A person would watch raw JSON type itself into the chat bubble.",
    about=(StructuredOutputConfig, AgentResult),
    check=content.synthesis_never_streams,
)
SYNTHESIS_START_ONCE = Clause(
    id="synthesis-start-once",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.HTTP}),
    statement=(
        "`structured_synthesis_start` MUST be shown exactly once when a turn makes a synthesis call,"
        " before that call begins, and never otherwise; retries do not repeat it."
    ),
    why="A surface shows a pending state on it; a second one would open a second card.",
    about=(StreamEvent,),
    check=events.synthesis_start_once,
)
PARTIAL_OBJECTS = Clause(
    id="partial-objects",
    family=Family.STREAMING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.CHUNKS, Surface.HTTP}),
    statement=(
        "Partial objects MUST be shown of synthesis calls only, and only with partial_objects: each holds"
        " what its call has written so far, under keys that the schema declares and of the types that it"
        " gives them, and the one before it of the same call is part of it. A retry begins with nothing,"
        " and the result takes the place of the last."
    ),
    why="A card that fills must neither show what the answer cannot hold, nor take back what it has shown.",
    about=(StructuredOutputConfig, PartialObject),
    kept_by=("finalturn._core.output.growing", "finalturn._core.output.partial"),
    check=content.partial_objects,
)
REUSE_SIGNALLED = Clause(
    id="reuse-signalled",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.HTTP}),
    statement=(
        "When the converged answer is reused and text of it was shown, exactly one `structured_reuse`"
        " MUST be shown, after that text and before the result."
    ),
    why=("The text has been shown; the event is how a surface knows to turn the bubble into the object."),
    about=(StreamEvent, StructuredOutputConfig),
    check=events.reuse_signalled,
)
SINGLE_PASS_SUPPRESSES_CONTENT = Clause(
    id="single-pass-suppresses-content",
    family=Family.STREAMING,
    since="0.1.0",
    stability="beta",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement=(
        "While single_pass is active, content MUST NOT be shown on any surface; no `structured_reuse`"
        " is shown, and a valid answer makes no further model call. Where the provider cannot combine"
        " tools and schema, the turn takes the synthesis path."
    ),
    why="Every loop answer may be the object, so none of its text is prose for a person.",
    about=(StructuredOutputConfig,),
    check=content.single_pass_suppresses_content,
)
HELD_JSON = Clause(
    id="held-json",
    family=Family.STREAMING,
    since="0.1.0",
    stability="beta",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement=(
        "With hold_json, a JSON block that validates against the schema, or carries one of its"
        " required keys, MUST NOT be shown, wherever it stands in the text, quoted code included;"
        " markup that holds nothing else goes with it. Any other block is released whole and in order"
        " as soon as it cannot be the answer, and prose waits only where it may still begin one, or the"
        " markup around one. An array of bare numbers or words is a block only where its line ends behind it."
    ),
    why="What was never shown need not be retracted.",
    about=(StructuredOutputConfig,),
    kept_by=("finalturn._core.hold",),
    check=content.held_json,
    revised=NEXT,
)
TOOL_CALLS_ALWAYS_STREAM = Clause(
    id="tool-calls-always-stream",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.HTTP}),
    statement=(
        "Every requested tool call MUST be announced by one tool-call chunk before it runs, in every"
        " mode and with every provider."
    ),
    why="A person should see what an agent is about to do, whatever the mode.",
    about=(StreamChunk,),
    check=tools.tool_calls_always_stream,
)
TEXT_TOOL_CALLS_HIDDEN = Clause(
    id="text-tool-calls-hidden",
    family=Family.STREAMING,
    since="0.1.0",
    stability="beta",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement="The text of a text-encoded tool call MUST NOT be shown as content.",
    why="Markup of a call is not prose.",
    about=(Provider,),
    kept_by=("finalturn._core.textcalls",),
    check=content.text_tool_calls_hidden,
)
REASONING_APART = Clause(
    id="reasoning-apart",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement="Reasoning MUST NOT appear as content.",
    why="What a model thinks aloud is not what it says.",
    about=(StreamChunk,),
    check=content.reasoning_apart,
)
EVENTS_CARRY_NO_CONTENT = Clause(
    id="events-carry-no-content",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.HTTP}),
    statement="An event chunk MUST have nothing but its event and the index of its model call.",
    why="A surface that appends content blindly would print the event's text.",
    about=(StreamChunk, StreamEvent),
)
SKIP_IS_SILENT = Clause(
    id="skip-is-silent",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.HTTP}),
    statement="A turn that should_finalize skips MUST NOT show an event or make another model call.",
    why="A plain turn should look and cost like one.",
    about=(StructuredOutputConfig,),
    check=events.skip_is_silent,
)
RESULT_IS_LAST = Clause(
    id="result-is-last",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.RESULT, Surface.HTTP}),
    statement="A turn MUST end with exactly one AgentResult, or with an exception and none.",
    why="A surface can close its bubble only when it knows that nothing follows.",
    about=(AgentResult, AgentStream),
    check=ends.result_is_last,
)
HANDLER_PARITY = Clause(
    id="handler-parity",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.TOKENS, Surface.HTTP}),
    statement=(
        "The token callback, and each stream over HTTP, MUST get exactly the shown content, in order, all"
        " of it before the result."
    ),
    why="A promise that holds on one surface only is not a promise.",
    about=(StreamHandler,),
    kept_by=("finalturn._agent.sync", "finalturn._serve.formats.items"),
    revised=NEXT,
)
SURFACE_PARITY = Clause(
    id="surface-parity",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.RESULT, Surface.HTTP}),
    statement=(
        "The same provider behaviour MUST give the same content, tool calls, events, parsed value and"
        " usage on run, arun, stream, astream and over HTTP."
    ),
    why="Behaviour that exists once per surface drifts apart.",
    about=(Agent,),
    kept_by=(
        "finalturn._agent.stream",
        "finalturn._agent.sync",
        "finalturn._serve.formats.items",
        "finalturn._serve.formats.public",
        "finalturn._serve.formats.native",
        "finalturn._serve.formats.ag_ui",
        "finalturn._serve.formats.ai_sdk",
    ),
    revised=NEXT,
)
WHOLE_REPLY_PARITY = Clause(
    id="whole-reply-parity",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.RESULT, Surface.HTTP}),
    statement=(
        "A provider without streaming MUST give the same shown sequence as one with it, but for where"
        " the content is cut, and which partial objects are shown."
    ),
    why="Switching a model's streaming off should change nothing but the pace.",
    about=(Provider, StreamingProvider),
    kept_by=("finalturn._agent.model_call",),
    revised=NEXT,
)
NO_DOUBLED_TEXT = Clause(
    id="no-doubled-text",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement=(
        "After the first shown delta of a model call, the call MUST NOT be retried or handed to a fallback."
    ),
    why="The beginning of the answer would be shown twice.",
    about=(StreamingProvider,),
    kept_by=("finalturn._providers.http.transport",),
)
ANSWER_CALL_KNOWN = Clause(
    id="answer-call-known",
    family=Family.STREAMING,
    since="0.1.0",
    stability="beta",
    surfaces=frozenset({Surface.CHUNKS, Surface.RESULT, Surface.HTTP}),
    statement="Every chunk MUST name its model call, and the result the one that holds the answer.",
    why="Only so can a surface tell narration from the answer.",
    about=(StreamChunk, AgentResult),
    check=ends.answer_call_known,
)
ANSWER_ON_RESULT = Clause(
    id="answer-on-result",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement="The answer's JSON text and the parsed value MUST be on the terminal result.",
    why="The program behind the chat reads the object there, and nowhere else.",
    about=(AgentResult,),
    check=outcome.answer_on_result,
)
DEFAULT_MODE_STREAMS = Clause(
    id="default-mode-streams",
    family=Family.STREAMING,
    since="0.1.0",
    stability="stable",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.HTTP}),
    statement=(
        "Without final_turn_only, the answer's text MUST stream as content, rejected attempts"
        " included, told apart by `call`; no event is shown."
    ),
    why=("Someone who wants the JSON as it is written gets it; what mode a turn is in is no surprise."),
    about=(StructuredOutputConfig, StreamChunk),
    check=content.default_mode_streams,
)
NESTED_ACTIVITY_APART = Clause(
    id="nested-activity-apart",
    family=Family.STREAMING,
    since=NEXT,
    stability="beta",
    surfaces=frozenset({Surface.CHUNKS, Surface.TOKENS, Surface.RESULT, Surface.HISTORY, Surface.HTTP}),
    statement=(
        "What an agent shows that runs as a tool MUST appear as activity of its tool call, before the outcome"
        " of that, and nowhere else in the turn that runs it."
    ),
    why="A person must know who speaks, and the model must not take the words of another for its own.",
    about=(Agent, NestedActivity),
    kept_by=("finalturn._agent.actions", "finalturn._tools.shown", "finalturn._serve.formats.items"),
    check=tools.nested_activity_apart,
)
