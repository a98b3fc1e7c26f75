"""The part with a real model: whatever it does is said plainly."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from finalturn._cli.demo import model as _model
from finalturn._cli.demo.desk import order_database
from finalturn._cli.demo.model import play_model
from finalturn._cli.demo.paths import JSON
from finalturn._cli.view import PlainStage
from finalturn.local import LocalModel, LocalModelUnavailable
from finalturn.providers import Scripted
from finalturn.testing import HttpAnswer, ScriptedServer
from tests.cli._turns import Pipe

LOOKUP = Scripted.call("lookup_order", {"order": "A-1001"})


@pytest.fixture
def database() -> Iterator[Path]:
    with order_database() as path:
        yield path


class Standin(LocalModel):
    """A scripted server in the place of the model."""

    def __init__(self, server: ScriptedServer | None) -> None:
        super().__init__()
        self.server = server
        self.running = False

    @property
    def url(self) -> str:
        assert self.server is not None and self.running
        return self.server.url

    def __enter__(self) -> Self:
        if self.server is None:
            raise LocalModelUnavailable("the package xllamacpp is missing")
        self.running = True
        return self

    def __exit__(self, *error: object) -> None:
        self.running = False


def lines_of(database: Path, *calls: Any) -> list[str]:
    out = Pipe()
    with ScriptedServer(*calls) as server:
        model = Standin(server)
        play_model(PlainStage(out), database, model)
        assert not model.running
    return out.text.splitlines()


def test_a_model_that_does_well(database: Path) -> None:
    lines = lines_of(database, LOOKUP, "It arrives on Friday.", JSON)
    assert lines[0] == "Starting the local model …"
    assert lines[1] == f"you: {_model.QUESTION}"
    assert lines[-3:] == [
        "✓ a tool read the database of orders",
        "✓ prose streamed",
        "✓ a validated Ticket came out",
    ]


def test_a_model_that_calls_no_tool(database: Path) -> None:
    lines = lines_of(database, "It arrives on Friday.", JSON)
    assert lines[-3].startswith("No tool was run this time")
    assert lines[-1] == "✓ a validated Ticket came out"


def test_a_model_that_fails_at_the_ticket(database: Path) -> None:
    lines = lines_of(database, LOOKUP, "It arrives on Friday.", "nonsense", "{}")
    assert lines[-1].startswith("No valid Ticket came out this time: the answer does not match the schema")


def test_a_model_that_only_calls_tools(database: Path) -> None:
    lines = lines_of(database, LOOKUP, LOOKUP, LOOKUP)
    assert lines[-2:] == [
        "There was no prose this time.",
        "No valid Ticket came out this time: iteration_limit.",
    ]


def test_a_model_that_answers_with_an_error(database: Path) -> None:
    lines = lines_of(database, HttpAnswer(400))
    assert lines[-1].startswith("No answer this time: the provider answered with status 400")


def test_a_model_that_cannot_be_started(database: Path) -> None:
    out = Pipe()
    play_model(PlainStage(out), database, Standin(None))
    assert out.text.splitlines()[1:] == ["Left out: the package xllamacpp is missing"]


def test_a_model_that_takes_too_long(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_model, "SECONDS", 0.2)
    go_on = threading.Event()
    try:
        lines = lines_of(database, ["It", go_on.wait])
    finally:
        go_on.set()
    assert lines[-2:] == ["agent: It", "Stopped after 0.2 s: the model is too slow here just now."]


def test_an_interrupt_stops_the_model(database: Path) -> None:
    class Interrupted(PlainStage):
        def screen(self) -> Any:
            raise KeyboardInterrupt

    with ScriptedServer() as server:
        model = Standin(server)
        with pytest.raises(KeyboardInterrupt):
            play_model(Interrupted(Pipe()), database, model)
        assert not model.running


@pytest.mark.llm_local
def test_the_real_model_goes_on_to_the_end(database: Path) -> None:
    out = Pipe()
    play_model(PlainStage(out), database)
    lines = out.text.splitlines()
    if lines[1].startswith("Left out: "):
        if os.environ.get("FINALTURN_LLM_LOCAL") == "required":
            pytest.fail(lines[1])
        pytest.skip(lines[1])
    assert lines[1] == f"you: {_model.QUESTION}"
    assert len(lines) > 3
