"""The requests that model calls are made with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from finalturn._core import json_text
from finalturn._core.messages import Message
from finalturn._core.model import ModelRequest, OutputSchema
from finalturn._core.output import Output
from finalturn._core.turn.messages import conversation
from finalturn._core.turn.setup import Mode
from finalturn._core.turn.state import State

_DEFAULT_INSTRUCTION = (
    "Once you need no more tools, answer with JSON only: one value that validates against the JSON Schema"
    " below. No prose and no code fence around it.\n\n"
)
_SYNTHESIS_INSTRUCTION = (
    "Now give the final answer to this conversation as JSON only: one value, with no prose and no code"
    " fence around it."
)
_SYNTHESIS_SCHEMA = " It must validate against this JSON Schema:\n\n"
_CORRECTION = "That is not a valid answer. {feedback}\n\nAnswer again, with the corrected JSON only."


def loop_request(state: State) -> ModelRequest:
    """A request of the tool loop. The schema is on it in default mode and single_pass only."""
    setup = state.setup
    output = setup.output
    system = setup.system
    if output is not None and setup.mode is Mode.DEFAULT and not setup.native_loop:
        system = f"{system}\n\n" if system else ""
        system += _DEFAULT_INSTRUCTION + _schema_text(output)
    settings = setup.settings
    if settings.tool_choice == "required" and state.calls:
        # Demanded on every call, the loop could never converge.
        settings = replace(settings, tool_choice="auto")
    return ModelRequest(
        messages=(*conversation(state), *_correction(state)),
        system=system,
        tools=setup.tools,
        output=_native(setup.judge_of(native=True)) if setup.native_loop else None,
        settings=settings,
        call=state.call,
    )


def synthesis_request(state: State) -> ModelRequest:
    """A tool-less request for the structured answer; the instruction is the last USER message."""
    setup = state.setup
    output = setup.output
    assert output is not None, "only a turn with a response_format is synthesized"
    text = state.converged.response.content if state.converged else ""
    converged = (Message.assistant(text),) if text.strip() else ()
    instruction = _SYNTHESIS_INSTRUCTION
    if not setup.native_synthesis:
        instruction += _SYNTHESIS_SCHEMA + _schema_text(output)
    return ModelRequest(
        messages=(*conversation(state), *converged, Message.user(instruction), *_correction(state)),
        system=setup.system,
        output=_native(setup.judge_of(native=True)) if setup.native_synthesis else None,
        settings=replace(setup.settings, tool_choice=None),
        call=state.call,
    )


def _correction(state: State) -> tuple[Message, ...]:
    """The last rejected answer and why; nothing of the attempts before it."""
    rejected = state.rejected
    if rejected is None:
        return ()
    correction = Message.user(_CORRECTION.format(feedback=rejected.feedback))
    return (Message.assistant(rejected.text), correction) if rejected.text.strip() else (correction,)


def _schema_text(output: Output[Any]) -> str:
    return json_text.encode(output.schema).decode()


def _native(output: Output[Any] | None) -> OutputSchema | None:
    return None if output is None else OutputSchema(output.name, output.schema)
