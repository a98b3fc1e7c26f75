"""The load runs, and finds what is wrong. No time is tested here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.bench.load import __main__ as load
from tools.bench.load._client import Found
from tools.bench.load._story import PATHS, Story, WrongStreamError

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
MB = 1024 * 1024

Records = list[dict[str, Any]]


def test_each_mix_runs_and_every_stream_is_right() -> None:
    few = ["--streams", "10", "--seconds", "1", "--pieces", "4", "--pause", "0.01"]
    done = subprocess.run(
        [sys.executable, "-m", "tools.bench.load", *few],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nwrong              0") == 2
    assert done.stdout.count("\nsessions           4 read back, whole and in order") == 2
    (steady, rough) = [line for line in done.stdout.splitlines() if line.startswith("resumed")]
    assert steady.split() == ["resumed", "0"] and rough.split() != ["resumed", "0"]


def records(story: Story, session: str | None = None) -> Records:
    """The right ones."""
    found: Records = [{"type": "run", "run_id": "r", "session": session}]
    if story.opening():
        number = str(story.seed)
        found += [
            {"type": "chunk", "content": story.opening(), "call": 0},
            {"type": "tool_call", "tool_call": {"arguments": {"number": number}}, "call": 0},
            {"type": "tool_result", "tool_message": {"tool_result": number}, "call": 0},
        ]
    found += [{"type": "chunk", "content": piece, "call": 1} for piece in story.prose()]
    if story.path == "fail":
        return [*found, {"type": "error", "code": "provider_failed"}]
    event = "structured_synthesis_start"
    result = {
        "type": "result",
        "run_id": "r",
        "parsed": story.answer,
        "structured_status": "ok",
        "text": story.opening() + "".join(story.prose()),
    }
    return [*found, {"type": "event", "event": event, "call": 1}, result]


def checked(story: Story, given: Records, session: str | None = None) -> None:
    story.check(list(enumerate(given, 1)), session)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("session", [None, "s"])
def test_a_right_stream_is_right(path: str, session: str | None) -> None:
    story = Story(path, 7, 3, 0.1)
    assert Story.of(story.ask()) == story
    checked(story, records(story, session), session)


def changed(found: Records, place: int, **fields: Any) -> Records:
    return [{**one, **fields} if number == place % len(found) else one for number, one in enumerate(found)]


FAULTS: dict[str, Callable[[Records], Records]] = {
    "a record is missing": lambda found: found[:3] + found[4:],
    "a record comes twice": lambda found: [*found[:5], found[4], *found[5:]],
    "two records are swapped": lambda found: [*found[:2], found[3], found[2], *found[4:]],
    "the end is missing": lambda found: found[:-1],
    "there are two ends": lambda found: [*found, found[-1]],
    "it goes on after the end": lambda found: [*found, found[1]],
    "the start is missing": lambda found: found[1:],
    "a record is unknown": lambda found: changed(found, 1, type="other"),
    "a text is another": lambda found: changed(found, 4, content="x"),
    "the object is another": lambda found: changed(found, -1, parsed={}),
    "the run is another": lambda found: changed(found, -1, run_id="other"),
    "the session is another": lambda found: changed(found, 0, session="other"),
    "it failed": lambda found: [*found[:-1], {"type": "error", "code": "internal_error"}],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_stream_is_found(fault: str) -> None:
    story = Story("tool", 7, 3, 0.1)
    with pytest.raises(WrongStreamError):
        checked(story, FAULTS[fault](records(story)))


def test_an_event_with_another_number_is_found() -> None:
    story = Story("tool", 7, 3, 0.1)
    with pytest.raises(WrongStreamError, match="'number', 3"):
        story.check([(number + (number > 1), one) for number, one in enumerate(records(story), 1)], None)


def healthy(memory: Callable[[int], float]) -> Found:
    return Found(seconds=60.0, records=600, memory=[int(memory(one) * MB) for one in range(1, 61)])


MEMORY: dict[str, tuple[Callable[[int], float], bool]] = {
    "flat": (lambda second: 100.0, False),
    "warming up": (lambda second: 100.0 if second > 15 else 20.0, False),
    "a little more": (lambda second: 100.0 + (second > 50) * 20, False),
    "ever more": (lambda second: 100.0 + second * 2, True),
    "more in the end": (lambda second: 100.0 + (second > 40) * 60, True),
}


@pytest.mark.parametrize("case", MEMORY)
def test_memory_that_grows_is_found(case: str) -> None:
    memory, grows = MEMORY[case]
    assert load.grows(healthy(memory)) is grows


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (healthy(lambda second: 100.0), 0),
        (healthy(lambda second: 100.0 + second * 2), 1),
        (Found(seconds=60.0, memory=[MB], wrong=["a stream"]), 1),
    ],
    ids=["right", "grows", "wrong"],
)
def test_the_exit_code_says_whether_all_is_right(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: Found, code: int
) -> None:
    def measured(mix: object) -> Found:
        return found

    monkeypatch.setattr(load, "measured", measured)
    assert load.main(["--mix", "steady"]) == code
    assert load.report(found) in capsys.readouterr().out
