"""Plays the support desk on a real small model. Whatever the model does, the demo goes on."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from finalturn import (
    AgentResult,
    Capabilities,
    ModelSettings,
    ProviderError,
    StreamClosedError,
    StructuredOutputConfig,
    SyncStream,
)
from finalturn._cli.demo.desk import Ticket, support_desk
from finalturn._cli.view import Item, Stage, Transcript, play
from finalturn.local import LocalModel, LocalModelUnavailable
from finalturn.providers import OpenAIChat

__all__ = ["play_model"]

QUESTION = "Where is my kettle? The order is A-1001."
SECONDS = 60.0


def play_model(stage: Stage, database: Path, model: LocalModel | None = None) -> None:
    """Start the model, let it answer a customer, and say plainly what came of it.

    The model's server is stopped at the end, however it comes.
    """
    with ExitStack() as stack:
        try:
            with stage.busy("Starting the local model"):
                local = stack.enter_context(model or LocalModel())
        except LocalModelUnavailable as unavailable:
            stage.remark(f"Left out: {unavailable}")
            return
        # A desk answers from its database or not at all: no chance, and no long speeches.
        agent = support_desk(
            OpenAIChat(local.model, base_url=local.url, capabilities=Capabilities(native_schema=True)),
            database,
            StructuredOutputConfig.chat(max_validation_retries=1),
            ModelSettings(temperature=0.0, max_tokens=160),
        )
        stream = agent.stream(QUESTION)
        try:
            with stage.screen() as screen, _at_most(SECONDS, stream):
                items = play(stream, screen, Transcript.of(QUESTION, answer=Ticket.__name__))
        except StreamClosedError:
            _say(stage, [])
        except ProviderError as error:
            stage.remark(f"No answer this time: {error}.")
        else:
            _say(stage, items)


@contextmanager
def _at_most(seconds: float, stream: SyncStream[Any]) -> Generator[None]:
    """Close the stream when the time is up: whoever reads it is told that it was closed."""
    timer = Timer(seconds, stream.close)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(stage: Stage, items: Sequence[Item]) -> None:
    """What came of it, point by point."""
    result = items[-1] if items else None
    if not isinstance(result, AgentResult):
        stage.remark(f"Stopped after {SECONDS:g} s: the model is too slow here just now.")
        return
    if any(message.tool_result is not None for message in result.messages):
        stage.verdict(True, "a tool read the database of orders")
    else:
        stage.remark("No tool was run this time: so small a model does not always call one.")
    if result.text.strip():
        stage.verdict(True, "prose streamed")
    else:
        stage.remark("There was no prose this time.")
    if result.parsed is not None:
        stage.verdict(True, "a validated Ticket came out")
    else:
        reason = result.structured_error or result.stop_reason
        stage.remark(f"No valid Ticket came out this time: {reason}.")
