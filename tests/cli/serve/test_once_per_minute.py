"""What is said once a minute."""

from __future__ import annotations

import logging

import pytest

from finalturn._cli.serve import once_per_minute as _once_per_minute
from finalturn._cli.serve.once_per_minute import OncePerMinute


def record(text: str, *given: object) -> logging.LogRecord:
    return logging.LogRecord("x", logging.WARNING, "x", 1, text, given, None)


def test_a_text_passes_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(_once_per_minute, "monotonic", lambda: now)
    limited = OncePerMinute()
    assert limited.filter(record("%s is full", 1)) and not limited.filter(record("%s is full", 2))
    assert limited.filter(record("something else"))
    now = 59.0
    assert not limited.filter(record("%s is full", 3))
    now = 60.0
    assert limited.filter(record("%s is full", 4)) and not limited.filter(record("%s is full", 5))


def test_only_the_texts_that_are_named_are_held_back() -> None:
    limited = OncePerMinute("often")
    assert [limited.filter(record(text)) for text in ("often", "often", "other", "other")] == [
        True,
        False,
        True,
        True,
    ]
