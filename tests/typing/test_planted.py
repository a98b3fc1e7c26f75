"""Mistakes that a type checker must find: each is planted, and mypy must report it on its line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A line that ends in ``# wrong`` must be an error; no other line may be one.
PLANTED = """
from collections.abc import Iterator, Sequence
from typing import Any, assert_never, assert_type

from pydantic import BaseModel, TypeAdapter

from finalturn import Agent, AgentResult, Message, ModelRequest, StreamChunk, StructuredOutputConfig, tool
from finalturn.providers import Scripted


class Ticket(BaseModel):
    topic: str


provider = Scripted()
agent = Agent(provider, response_format=Ticket)
plain = Agent(provider)

agent.run("go").parsed.topic  # wrong
agent.run("go").unwrap().amount  # wrong
number: int = agent.run("go").content  # wrong
assert_type(agent.run("go", response_format=None), AgentResult[Ticket])  # wrong
plain.run("go", response_format="Ticket")  # wrong
plain.run("go", response_format=[Ticket])  # wrong
plain.run("go", response_format=Ticket(topic="a"))  # wrong
wrong: Agent[int] = Agent(provider, response_format=TypeAdapter(str))  # wrong
plain.run(7)  # wrong
plain.run([{"role": "user", "content": "go"}])  # wrong
plain.run("go", stream_handler=lambda a, b: None)  # wrong
plain.astream("go", stream_handler=print)  # wrong
Agent(provider, sessions={})  # wrong
Agent(object())  # wrong
agent.run("go").content = ""  # wrong


class NoStream:
    def stream(self, request: ModelRequest) -> Iterator[str]:
        yield "text"


Agent(NoStream())  # wrong


def no_bool(messages: Sequence[Message], text: str) -> str:
    return text


StructuredOutputConfig(final_turn_only=True, should_finalize=no_bool)  # wrong


@tool
def look(order: str) -> int:
    return 1


look(1)  # wrong
text: str = look("A")  # wrong
Agent(provider, tools=[print])  # wrong


def incomplete(item: StreamChunk | AgentResult[Ticket]) -> None:
    match item:
        case AgentResult():
            pass
        case StreamChunk(content=str(shown)) if shown:
            pass
        case _:
            assert_never(item)  # wrong


def fine(result: AgentResult[Any]) -> None:
    print(result.unwrap().whatever)
"""


def test_mypy_finds_every_planted_mistake_and_no_other(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    cache = getattr(pytestconfig, "cache", None)
    cache_dir = tmp_path / "cache" if cache is None else cache.mkdir("finalturn-planted")
    planted = tmp_path / "planted.py"
    planted.write_text(PLANTED, encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--hide-error-context", "--no-error-summary"),
            *("--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache_dir), str(planted)),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=ROOT,
    )
    assert done.stderr == ""
    expected = {number for number, line in enumerate(PLANTED.splitlines(), 1) if line.endswith("# wrong")}
    found = {int(line) for line in re.findall(r":(\d+): error: ", done.stdout)}
    assert found == expected, done.stdout
