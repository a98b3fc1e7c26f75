"""Shows an event as a remark, which no event is yet."""

from __future__ import annotations

import pytest

from finalturn import StreamEvent
from finalturn._core.chunks import EventPresentation

__all__ = ["show_as_notice"]


def show_as_notice(monkeypatch: pytest.MonkeyPatch, *modules: str) -> StreamEvent:
    """An event that the modules take for a remark, "slow today"."""

    def presentation_of(event: StreamEvent) -> EventPresentation:
        return EventPresentation("notice", "slow today", "The model is slow.")

    for module in modules:
        monkeypatch.setattr(f"{module}.presentation_of", presentation_of)
    return StreamEvent.STRUCTURED_REUSE
