"""Combinations that make no sense for a clause, and so need no proof. Each is shown on the clause's page."""

from __future__ import annotations

from dataclasses import dataclass

from finalturn.contract import (
    EVENTS_CARRY_NO_CONTENT,
    NO_DOUBLED_TEXT,
    RESUME_IS_EXACT,
    REUSE_SIGNALLED,
    SYNTHESIS_START_ONCE,
    TOOL_CALLS_ALWAYS_STREAM,
    Clause,
    Surface,
)
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._http_drivers import HTTP_STREAM_DRIVERS
from tests.contract._play import KINDS


@dataclass(frozen=True)
class Exemption:
    """For one clause on one surface, drivers and kinds of provider that nothing can be proved with.

    Attributes:
        clause: the clause.
        surface: the surface.
        drivers: names of drivers.
        kinds: names of kinds of provider.
        reason: why, as a sentence.
    """

    clause: Clause
    surface: Surface
    drivers: tuple[str, ...]
    kinds: tuple[str, ...]
    reason: str


WHOLE = ("whole-reply", "sync-whole-reply")
COMPLETE_WHEN_SHOWN = "A whole reply is complete before any of it is shown: no later failure can repeat it."

CHAT = ("http-chat",)
NO_EVENTS = "A whole answer carries no events: its status says how the object came out."

EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption(
        clause=NO_DOUBLED_TEXT,
        surface=Surface.CHUNKS,
        drivers=tuple(CHUNK_DRIVERS),
        kinds=WHOLE,
        reason=COMPLETE_WHEN_SHOWN,
    ),
    Exemption(
        clause=NO_DOUBLED_TEXT,
        surface=Surface.TOKENS,
        drivers=tuple(TOKEN_DRIVERS),
        kinds=WHOLE,
        reason=COMPLETE_WHEN_SHOWN,
    ),
    Exemption(
        clause=NO_DOUBLED_TEXT,
        surface=Surface.HTTP,
        drivers=HTTP_STREAM_DRIVERS,
        kinds=WHOLE,
        reason=COMPLETE_WHEN_SHOWN,
    ),
    Exemption(
        clause=NO_DOUBLED_TEXT,
        surface=Surface.HTTP,
        drivers=CHAT,
        kinds=KINDS,
        reason="A turn that fails has no whole answer, and so no text that could be repeated.",
    ),
    Exemption(
        clause=SYNTHESIS_START_ONCE,
        surface=Surface.HTTP,
        drivers=CHAT,
        kinds=KINDS,
        reason=NO_EVENTS,
    ),
    Exemption(
        clause=REUSE_SIGNALLED,
        surface=Surface.HTTP,
        drivers=CHAT,
        kinds=KINDS,
        reason=NO_EVENTS,
    ),
    Exemption(
        clause=EVENTS_CARRY_NO_CONTENT,
        surface=Surface.HTTP,
        drivers=CHAT,
        kinds=KINDS,
        reason=NO_EVENTS,
    ),
    Exemption(
        clause=TOOL_CALLS_ALWAYS_STREAM,
        surface=Surface.HTTP,
        drivers=CHAT,
        kinds=KINDS,
        reason="A whole answer announces nothing: it lists the calls when they have run.",
    ),
    Exemption(
        clause=RESUME_IS_EXACT,
        surface=Surface.HTTP,
        drivers=CHAT,
        kinds=KINDS,
        reason="A whole answer has no records to come back to.",
    ),
    Exemption(
        clause=RESUME_IS_EXACT,
        surface=Surface.HTTP,
        drivers=("ag-ui",),
        kinds=KINDS,
        reason="AG-UI has no way to come back to a stream: its client asks again.",
    ),
)
