"""The options, as an agent that asks a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from finalturn import ConfigurationError, StreamChunk
from finalturn._cli.chat import ChatOptions
from finalturn.testing import ScriptedServer
from tests.cli._turns import OBJECT

SCHEMA = "tests.cli._turns:Ticket"


def asked(options: ChatOptions, *calls: Any) -> list[Any]:
    """The bodies and keys of the requests of one turn."""
    with ScriptedServer(*calls) as server:
        agent, _ = replace(options, base_url=server.url).agent()
        agent.run("Hi")
        return server.requests


def test_prose_alone_is_asked_for_without_a_schema() -> None:
    agent, name = ChatOptions("m", "http://127.0.0.1:9/v1").agent()
    assert name == ""
    (request,) = asked(ChatOptions("m", system="Be brief."), "Hello")
    assert request.json["model"] == "m"
    assert request.json["messages"][0] == {"role": "system", "content": "Be brief."}
    assert "authorization" not in request.headers
    assert agent is not None


@pytest.mark.parametrize("native", [False, True])
def test_the_schema_goes_the_way_the_server_can_take_it(native: bool) -> None:
    _, answer = asked(ChatOptions("m", schema=SCHEMA, native_schema=native), "Hello", OBJECT)
    assert ("response_format" in answer.json) == native
    assert ("JSON Schema" in answer.json["messages"][-1]["content"]) != native


@pytest.mark.parametrize(("hold", "text"), [(True, ""), (False, OBJECT)])
def test_json_is_held_unless_it_is_asked_for(hold: bool, text: str) -> None:
    with ScriptedServer(OBJECT) as server:
        agent, name = ChatOptions("m", server.url, schema=SCHEMA, hold=hold).agent()
        result = agent.run("Hi")
    assert (result.text, name) == (text, "Ticket")


def test_the_card_fills_while_its_object_is_made() -> None:
    with ScriptedServer("Sure.", OBJECT) as server:
        agent, _ = ChatOptions("m", server.url, schema=SCHEMA).agent()
        chunks = [item for item in agent.stream("Hi") if isinstance(item, StreamChunk)]
    assert any(chunk.partial for chunk in chunks)


def test_the_key_is_read_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    monkeypatch.setenv("MY_KEY", " secret\n")
    (request,) = asked(ChatOptions("m", key_variable="MY_KEY"), "Hello")
    assert request.headers["authorization"] == "Bearer secret"


def test_openai_s_own_variable_is_read_for_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    (request,) = asked(ChatOptions("m"), "Hello")
    assert "authorization" not in request.headers
    agent, _ = ChatOptions("gpt").agent()
    assert agent is not None


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (ChatOptions("m"), "the environment variable OPENAI_API_KEY is empty; set it, or give --base-url"),
        (ChatOptions("m", "http://h/v1", "NO_SUCH_KEY"), "the environment variable NO_SUCH_KEY is empty"),
        (ChatOptions("m", "h"), "base_url must be an address"),
        (ChatOptions("", "http://h/v1"), "model is empty"),
        (ChatOptions("m", "http://h/v1", schema="nowhere"), "--schema nowhere"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: ChatOptions, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "NO_SUCH_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match=problem):
        options.agent()
