"""What is said once a minute."""

from __future__ import annotations

import logging

import pytest

from finalturn._cli.serve import rarely as _rarely
from finalturn._cli.serve.rarely import Rarely


def record(text: str, *given: object) -> logging.LogRecord:
    return logging.LogRecord("x", logging.WARNING, "x", 1, text, given, None)


def test_a_text_passes_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(_rarely, "monotonic", lambda: now)
    rarely = Rarely()
    assert rarely.filter(record("%s is full", 1)) and not rarely.filter(record("%s is full", 2))
    assert rarely.filter(record("something else"))
    now = 59.0
    assert not rarely.filter(record("%s is full", 3))
    now = 60.0
    assert rarely.filter(record("%s is full", 4)) and not rarely.filter(record("%s is full", 5))


def test_only_the_texts_that_are_named_are_held_back() -> None:
    rarely = Rarely("often")
    assert [rarely.filter(record(text)) for text in ("often", "often", "other", "other")] == [
        True,
        False,
        True,
        True,
    ]
