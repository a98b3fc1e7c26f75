"""Chooses how a command draws turns: redrawn in a terminal, or as plain lines."""

from __future__ import annotations

import os
from typing import TextIO

from finalturn._cli.view.plain import PlainStage
from finalturn._cli.view.stage import Stage

__all__ = ["open_stage"]


def open_stage(out: TextIO, *, labels: bool = True, boxes: bool = True) -> Stage:
    """The stage for this stream: a terminal is drawn on, everything else gets plain lines.

    Args:
        out: standard output.
        labels: whether plain lines say what they are.
        boxes: whether bubbles are drawn as boxes on a terminal.
    """
    # Asked of the stream itself: settings that force colours are no reason to redraw a pipe.
    if not out.isatty() or os.environ.get("TERM") in ("dumb", "unknown"):
        return PlainStage(out, labels=labels)
    from finalturn._cli.view.terminal import TerminalStage

    return TerminalStage(out, boxes=boxes)
