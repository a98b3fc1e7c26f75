"""Plays a stream on a screen."""

from __future__ import annotations

import time
from typing import Any, TypeAlias

from finalturn import AgentResult, StreamChunk, SyncStream
from finalturn._cli.view.stage import Screen
from finalturn._cli.view.transcript import Transcript

__all__ = ["Item", "play"]

Item: TypeAlias = StreamChunk | AgentResult[Any]


def play(stream: SyncStream[Any], screen: Screen, transcript: Transcript, *, beat: float = 0.0) -> list[Item]:
    """Show a turn until it is over, and return all that the stream gave.

    Args:
        stream: the turn. It is closed in any case.
        screen: where it is shown.
        transcript: how it begins.
        beat: seconds to stop at each event and tool call, so that a person sees the state in between.
    """
    items: list[Item] = []
    try:
        screen.show(transcript)
        with stream:
            for item in stream:
                items.append(item)
                transcript = transcript.after(item)
                screen.show(transcript)
                if beat and isinstance(item, StreamChunk) and (item.event or item.tool_calls):
                    time.sleep(beat)
    finally:
        if not transcript.ended:
            screen.show(transcript.broken_off("the turn broke off"))
    return items
