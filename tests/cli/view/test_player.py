"""Playing a stream: all of it is shown and returned, and it is closed in any case."""

from __future__ import annotations

import threading

import pytest

from finalturn import Agent, AgentResult, ProviderError, StreamChunk, StreamClosedError
from finalturn._cli.view import Bubble, Transcript, play
from finalturn.providers import Scripted
from tests.cli._turns import FINAL, LOOKUP, OBJECT, Ticket, lookup


class Kept:
    def __init__(self) -> None:
        self.seen: list[Transcript] = []

    def show(self, transcript: Transcript) -> None:
        self.seen.append(transcript)


def agent(*calls: object) -> Agent[Ticket]:
    return Agent(
        Scripted(*calls),  # type: ignore[arg-type]
        tools=[lookup],
        response_format=Ticket,
        structured_output=FINAL,
    )


def test_every_item_is_shown_and_returned() -> None:
    screen = Kept()
    begin = Transcript.of("Hi", answer="Ticket")
    items = play(agent(["a", "b"], OBJECT).stream("Hi"), screen, begin)
    assert [type(item) for item in items] == [StreamChunk] * 3 + [AgentResult]
    assert len(screen.seen) == 5
    assert screen.seen[0] is begin
    assert screen.seen[-1].ended


def test_a_failure_is_raised_once_what_was_shown_is_closed() -> None:
    screen = Kept()
    with pytest.raises(ProviderError):
        play(agent(["Hel", ProviderError("broke")]).stream("Hi"), screen, Transcript())
    assert screen.seen[-1].ended
    assert screen.seen[-1].blocks == (Bubble("Hel", 0, open=False),)


def test_an_interrupt_closes_the_stream() -> None:
    class Interrupted(Kept):
        def show(self, transcript: Transcript) -> None:
            super().show(transcript)
            if len(self.seen) == 2:
                raise KeyboardInterrupt

    stream = agent(["Hel", threading.Event().wait]).stream("Hi")
    screen = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        play(stream, screen, Transcript())
    with pytest.raises(StreamClosedError):
        next(stream)
    assert screen.seen[-1].ended


def test_a_beat_is_kept_at_events_and_calls_only(monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[float] = []
    monkeypatch.setattr("finalturn._cli.view.player.time.sleep", beats.append)
    play(agent(["a", LOOKUP], "b", OBJECT).stream("Hi"), Kept(), Transcript(), beat=0.5)
    assert beats == [0.5, 0.5]
