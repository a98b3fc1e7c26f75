from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from finalturn import Agent, ModelSettings, StructuredOutputConfig, contract, tool
from finalturn._agent.turns import Turns
from finalturn._support.keywords import known_keywords
from finalturn.providers import Scripted
from tests.support.test_public_home import MODULES, public

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tool", "Agent() has no argument 'tool'; did you mean 'tools'?"),
        ("max_iteration", "Agent() has no argument 'max_iteration'; did you mean 'max_iterations'?"),
        ("system", "Agent() has no argument 'system'; did you mean 'system_prompt'?"),
        ("zzz", "Agent() has no argument 'zzz'; it has context, deps_type, "),
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


CONTRACT: list[str] = vars(contract)["__all__"]
MADE_BY_THE_LIBRARY: dict[str, set[str]] = {
    "finalturn": {
        "AgentResult", "AgentStream", "Batch", "BatchItem", "MessageFormatError", "ModelRequest",
        "OutputSchema", "ProtocolError", "ProviderSwitch", "SessionConflictError", "SessionDamagedError",
        "SessionError", "SessionTimeoutError", "StructuredOutputError", "SyncBatch", "SyncStream", "ToolSpec",
    },
    "finalturn.local": {"LocalModelUnavailable"},
    "finalturn.sessions": {"ImportProblem", "ImportReport"},
    "finalturn.testing": {
        "AsyncServedTurn", "ReceivedRequest", "Recording", "ServedResult", "ServedTurn", "TurnProblem",
    },
    # Records of a trace, and what describes the contract.
    "finalturn.contract": {name for name in CONTRACT if name not in ("read_traces", "verify")},
}  # fmt: skip
MADE_FOR_EACH_PIECE = {"ReasoningDelta", "StreamChunk", "TextDelta", "ToolCallDelta"}
"""A text delta makes some of them: a wrapper around their constructors would be felt."""


def callables() -> dict[str, Callable[..., Any]]:
    """What users call by keyword: every public class and function, but for what only finalturn calls."""
    found: dict[str, Callable[..., Any]] = {}
    for module in MODULES:
        left_out = MADE_BY_THE_LIBRARY.get(module, set[str]()) | MADE_FOR_EACH_PIECE
        for name, thing in public(module).items():
            if name in left_out or isinstance(thing, enum.EnumMeta):
                continue
            if getattr(thing, "_is_protocol", False) or not keywords_of(thing):
                continue
            found[f"{module}.{name}"] = thing
    return found


def keywords_of(thing: Callable[..., Any]) -> list[str]:
    """The names of its arguments that may be given by keyword."""
    made = getattr(thing, "__init__", None) if isinstance(thing, type) else thing
    if not isinstance(made, FunctionType):
        return []
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = list(inspect.signature(thing).parameters.values())
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        return []  # they are passed on to what does the naming
    return [one.name for one in parameters if one.kind in kinds]


@pytest.mark.parametrize("path", callables())
def test_every_public_callable_names_the_near_match(path: str) -> None:
    thing = callables()[path]
    for keyword in keywords_of(thing):
        with pytest.raises(TypeError) as caught:
            thing(**{f"{keyword}_": 1})
        words = str(caught.value)
        assert words.startswith(f"{path.rpartition('.')[2]}() has no argument '{keyword}_'; did you mean "), (
            words
        )
        assert repr(keyword) in words


def test_what_users_call_is_found() -> None:
    assert {
        "finalturn.Agent", "finalturn.Message", "finalturn.Tool", "finalturn.ToolPolicy", "finalturn.tool",
        "finalturn.contract.verify", "finalturn.gates.provider_check", "finalturn.providers.Scripted",
        "finalturn.serve.ServeConfig", "finalturn.serve.create_app", "finalturn.sessions.SQLSessions",
        "finalturn.testing.record",
    } <= set(callables())  # fmt: skip


def test_what_can_only_be_given_by_place_is_not_offered() -> None:
    make: Any = tool
    with pytest.raises(
        TypeError, match=r"^tool\(\) has no argument 'zzz'; it has available, description, name, terminal,"
    ):
        make(zzz=1)
