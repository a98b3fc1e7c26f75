"""A match that drops a kind without a word."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.kinds.code_arms import LEFT_OUT

ACTIONS = "src/finalturn/_agent/actions.py"
DRAW = "src/finalturn/_cli/view/draw.py"
EVENTS = "src/finalturn/_core/observers.py"
RECORDER = "src/finalturn/_testing/recording/turn.py"
TRACER = "src/finalturn/_otel/turn.py"
HERE = "tools/contractdocs/kinds/code_arms.py"
DO = "give it an arm; what is left out on purpose stands in LEFT_OUT of tools/contractdocs/kinds/code_arms.py"


def test_the_repository_as_it_is() -> None:
    assert planted("FT27", PROJECT) == []


def test_an_arm_is_missing() -> None:
    arm = "            case Thought():\n                return Text("
    assert arm in PROJECT.files[DRAW]
    project = PROJECT.edited(DRAW, arm, arm.replace("Thought()", "Thought() if block.open"))
    line = project.line_of(DRAW, "        match block:")
    assert planted("FT27", project) == [
        f"{DRAW}:{line} FT27 silent-kind: the match over Block in Picture._block has no arm for Thought ->"
        f" {DO}".replace("Picture", _class_of(DRAW, line))
    ]


def test_a_kind_that_is_new() -> None:
    project = PROJECT.edited(EVENTS, "    | SaveEnded\n", "    | SaveEnded\n    | Paused\n")
    assert planted("FT27", project) == [
        f"{file}:{project.line_of(file, '        match event:')} FT27 silent-kind: the match over TurnEvent"
        f" in {watch}.on_event has only a silent catch-all for Paused -> {DO}"
        for file, watch in ((TRACER, "TurnSpans"), (RECORDER, "TurnRecorder"))
    ]


def test_a_catch_all_that_raises_is_none() -> None:
    project = PROJECT.edited(ACTIONS, "            case RunTools():", "            case RunTools() if False:")
    assert planted("FT27", project) == []


def test_a_catch_all_that_becomes_silent() -> None:
    text = PROJECT.files[ACTIONS]
    start = text.index("            case _:\n")
    old = text[start : text.index("\n", start + len("            case _:\n")) + 1]
    project = PROJECT.edited(ACTIONS, old, "            case _:\n                return ()\n")
    line = project.line_of(ACTIONS, "        match action:")
    assert planted("FT27", project) == [
        f"{ACTIONS}:{line} FT27 silent-kind: the match over Action in Performer.perform has only a silent"
        f" catch-all for CallModel, Finish, Raise -> {DO}"
    ]


def test_an_entry_that_is_stale() -> None:
    project = PROJECT.with_file(RECORDER, '"""Records nothing."""\n')
    assert [line.replace(DO, "") for line in planted("FT27", project)] == [
        f"{HERE}:{PROJECT.line_of(HERE, RECORDER)} FT27 silent-kind: LEFT_OUT has an entry for {union} in"
        f" {RECORDER}, where nothing is left out -> "
        for union in ("TurnEvent",)
    ]


def test_a_match_over_something_else() -> None:
    code = "\n\ndef look(value: object) -> None:\n    match value:\n        case int():\n            pass\n"
    assert planted("FT27", PROJECT.with_file(DRAW, PROJECT.files[DRAW] + code)) == []


@pytest.mark.parametrize("file", sorted({file for file, _ in LEFT_OUT}))
def test_files_of_entries_exist(file: str) -> None:
    assert file in PROJECT.files


def _class_of(file: str, line: int) -> str:
    above = PROJECT.files[file].splitlines()[:line]
    return next(text for text in reversed(above) if text.startswith("class ")).split()[1].rstrip(":")
