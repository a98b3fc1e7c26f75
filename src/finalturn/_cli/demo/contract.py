"""Plays a path of the contract over real HTTP, and checks it."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from finalturn import Capabilities, ModelSettings, ToolCall
from finalturn._cli.demo.check import problems
from finalturn._cli.demo.desk import Ticket, support_desk
from finalturn._cli.demo.paths import Path
from finalturn._cli.view import Item, Stage, Transcript, play
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ReceivedRequest, ScriptedServer

__all__ = ["paced", "play_path", "record"]

# Seconds, and only where a person watches.
_BETWEEN_PIECES = 0.05
_BEFORE_ANSWER = 0.5
_AT_EVENT = 0.8

_PIECE = 5
_EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True)


def play_path(stage: Stage, path: Path, database: FilePath) -> bool:
    """Play it, and say whether all is as promised, or what is not."""
    try:
        items, requests = record(stage, path, database)
        wrong = list(problems(path, items, requests))
    except Exception as error:
        wrong = [f"{type(error).__name__}: {error}"]
    if not wrong:
        stage.verdict(True, f"as promised by {', '.join(clause.id for clause in path.clauses)}")
    for problem in wrong:
        stage.verdict(False, f"{path.name}: {problem}")
    return not wrong


def record(stage: Stage, path: Path, database: FilePath) -> tuple[list[Item], list[ReceivedRequest]]:
    """Play it, and return all that its stream gave and all that the model's server received."""
    with ScriptedServer(*(paced(answer, stage.live) for answer in path.says)) as server:
        agent = support_desk(
            OpenAIChat("scripted", base_url=server.url, capabilities=_EVERYTHING, max_retries=0),
            database,
            path.config,
            ModelSettings(),
        )
        begin = Transcript.of(path.question, answer=Ticket.__name__, silent=path.config.single_pass)
        with stage.screen() as screen:
            items = play(agent.stream(path.question), screen, begin, beat=_AT_EVENT if stage.live else 0.0)
    return items, server.requests


def paced(answer: str | ToolCall, live: bool) -> list[Any]:
    """An answer in pieces, as models send it, at a pace that a person can follow."""
    pieces: list[Any] = Scripted.pieces(answer, _PIECE) if isinstance(answer, str) else [answer]
    if not live:
        return pieces
    paced: list[Any] = [Scripted.pause(_BEFORE_ANSWER)]
    for piece in pieces:
        paced += [piece, Scripted.pause(_BETWEEN_PIECES)]
    return paced
