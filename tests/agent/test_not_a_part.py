"""What is said of something that is given for a part of an agent, and is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finalturn import Agent, ConfigurationError, ToolPolicy, ToolSpec, tool
from finalturn._agent.not_a_part import not_a_gate, not_a_list, not_a_store, not_a_tool, not_an_agent
from finalturn.providers import OpenAIChat, Scripted
from finalturn.serve import create_app, create_router
from finalturn.sessions import InMemorySessions
from finalturn.testing import record


def plain(x: int) -> int:
    """Is no tool yet."""
    return x


class Half:
    """A store that keeps nothing."""

    def load(self, session: str) -> None: ...


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "None"),
        (plain, "a function; decorate it with @tool"),
        (Half, "the class Half; give a function that is decorated with @tool"),
        ([plain], "a list; put what it holds into the list itself"),
        ({"name": "x"}, "a dict; a tool that is described by a JSON Schema is made with Tool.from_schema("),
        (ToolSpec("x", "", {}), "a ToolSpec; a tool that is described by a JSON Schema is made with Tool."),
        ("secret", "a str"),
    ],
)
def test_among_the_tools(given: object, words: str) -> None:
    assert not_a_tool(given).startswith(words)
    with pytest.raises(ConfigurationError, match=r"^tools\[0\] must be a Tool, not (a|the|None)"):
        Agent(Scripted(), tools=[given])  # type: ignore[list-item]  # pyright: ignore


def passes(call: object, messages: object) -> None:
    """Is no gate: it has no method."""


def app_with(of: object, sessions: Any) -> object:
    """An application of an agent, whatever is given first."""
    return create_app(Agent(Scripted()), sessions=sessions)


def router_of(agent: Any) -> object:
    """Routes that let everybody in."""
    return create_router(agent, authenticate=None)


GATES: list[tuple[Any, str]] = [
    (ToolPolicy, "the class ToolPolicy; make one of it: ToolPolicy(...)"),
    (passes, "a function; make a gate of a check: CoherenceGate(check)"),
    ("secret", "a str"),
]


@pytest.mark.parametrize(("given", "words"), GATES)
def test_among_the_gates(given: Any, words: str) -> None:
    assert not_a_gate(given) == words
    with pytest.raises(ConfigurationError, match=r"^gates\[0\] must be an object with a method check\("):
        Agent(Scripted(), gates=[given])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (InMemorySessions, "the class InMemorySessions; make one of it: InMemorySessions()"),
        ("secret.db", "a str; for a database, make a store: SQLSessions("),
        (Path("secret.db"), "a PosixPath; for a database, make a store: SQLSessions("),
        (Half(), "a Half, which has no append"),
        (7, "an int"),
    ],
)
def test_a_store(given: Any, words: str) -> None:
    assert not_a_store(given).startswith(words)
    makers: list[Callable[..., object]] = [Agent, app_with]
    for make in makers:
        with pytest.raises(ConfigurationError, match=r"^sessions must be an object with methods load"):
            make(Scripted(), sessions=given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Scripted(), "a Scripted; make an agent of a provider: Agent(provider)"),
        (OpenAIChat, "the class OpenAIChat; make one of it: OpenAIChat(...)"),
        ("openai:secret", "a str"),
    ],
)
def test_an_agent(given: Any, words: str) -> None:
    assert not_an_agent(given) == words
    uses: list[Callable[[Any], object]] = [create_app, record, router_of]
    for use in uses:
        with pytest.raises(ConfigurationError) as caught:
            use(given)
        assert str(caught.value).endswith(words)


def test_a_list() -> None:
    made = tool(plain)
    assert not_a_list({"plain": made}, "tools") == "a dict; give its values: [*tools.values()]"
    for given in ("tools", b"tools", None, 7, made):
        with pytest.raises(ConfigurationError, match=r"^tools must be a list, such as \[tool\], not "):
            Agent(Scripted(), tools=given)  # type: ignore[arg-type]  # pyright: ignore


@pytest.mark.parametrize("name", ["config", "parallel_tools", "max_iterations"])
def test_what_is_true_is_no_number_and_a_text_no_truth(name: str) -> None:
    wrong: dict[str, Any] = {"config": {}, "parallel_tools": "no", "max_iterations": True}
    given = wrong[name]
    make: Any = Agent if name != "config" else create_app
    of = Scripted() if name != "config" else Agent(Scripted())
    with pytest.raises(ConfigurationError, match=f"^{name} must be of type "):
        make(of, **{name: given})


def test_a_handler() -> None:
    agent = Agent(Scripted(then="Hello"))
    for given in (7, "print"):
        with pytest.raises(
            ConfigurationError, match=r"^stream_handler must be a function of a text, not an? "
        ):
            agent.run("Hi", stream_handler=given)  # type: ignore[call-overload]  # pyright: ignore
    assert list(agent.stream("Hi"))
