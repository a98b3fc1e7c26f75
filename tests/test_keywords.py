from __future__ import annotations

import inspect
from typing import Any

import pytest

from finalturn import Agent, ModelSettings, StructuredOutputConfig
from finalturn._keywords import known_keywords
from finalturn.agent._turns import Turns
from finalturn.providers import Scripted

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tool", "Agent() has no argument 'tool'; did you mean 'tools'?"),
        ("max_iteration", "Agent() has no argument 'max_iteration'; did you mean 'max_iterations'?"),
        ("system", "Agent() has no argument 'system'; did you mean 'system_prompt'?"),
        ("zzz", "Agent() has no argument 'zzz'; it has context, gates, "),
    ],
)
def test_a_wrong_argument_of_an_agent_is_named_with_what_is_near(name: str, words: str) -> None:
    make: Any = Agent
    with pytest.raises(TypeError) as caught:
        make(Scripted(), **{name: 1})
    assert str(caught.value).startswith(words)


async def test_of_a_turn_too_and_under_its_public_name() -> None:
    agent: Any = Agent(Scripted())
    for method in ("run", "stream", "astream"):
        with pytest.raises(TypeError, match=rf"^Agent\.{method}\(\) has no .*; did you mean 'session'\?"):
            getattr(agent, method)("go", sesion="s")
    with pytest.raises(TypeError, match=r"^Agent\.arun\(\) has no .*; did you mean 'stream_handler'\?"):
        await agent.arun("go", stream_handlers=print)
    with pytest.raises(TypeError, match=r"^Agent\.run\(\) missing 1 required positional argument: 'input'"):
        agent.run()


@pytest.mark.parametrize(
    ("make", "wrong", "near"),
    [(StructuredOutputConfig, "single_turn", "single_pass"), (ModelSettings, "temprature", "temperature")],
)
def test_of_settings_too(make: Any, wrong: str, near: str) -> None:
    with pytest.raises(
        TypeError, match=rf"{make.__name__}\(\) has no argument '{wrong}'; did you mean '{near}'"
    ):
        make(**{wrong: 1})


async def test_what_is_decorated_stays_what_it_is() -> None:
    @known_keywords("Public.one")
    def one(a: int, *, b: int = 2) -> int:
        """Adds."""
        return a + b

    @known_keywords("Public.two")
    async def two(a: int) -> int:
        return a

    assert (one(1), one(1, b=1), await two(3)) == (3, 2, 3)
    assert (one.__doc__, one.__qualname__) == ("Adds.", "Public.one")
    assert str(inspect.signature(one)) == "(a: 'int', *, b: 'int' = 2) -> 'int'"
    assert inspect.iscoroutinefunction(two)
    arun: Any = vars(Turns)["arun"]
    assert inspect.iscoroutinefunction(arun)
