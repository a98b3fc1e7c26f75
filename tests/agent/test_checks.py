"""Checks of what an agent is made of, and of what a call gives it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from finalturn import (
    Agent,
    Capabilities,
    ConfigurationError,
    ContentPart,
    Message,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    tool,
)
from finalturn._agent.checks import (
    check_context,
    check_gates,
    check_images,
    check_provider,
    check_sessions,
    check_settings,
    check_text,
    check_type,
    tools_by_name,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions


@tool
def look(order: str) -> str:
    """Looks."""
    return order


@tool(name="look")
def look_again(order: str) -> str:
    """Looks again."""
    return order


def plain(order: str) -> str:
    """Looks."""
    return order


class Gate:
    def check(self, call: Any, messages: Any, /) -> None:
        return None


class Whole:
    def complete(self, request: ModelRequest, /) -> Any:
        raise NotImplementedError


class Streams:
    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        raise NotImplementedError


class TestTools:
    def test_are_found_by_name(self) -> None:
        assert tools_by_name([look]) == {"look": look}
        assert tools_by_name(()) == {}

    def test_from_an_iterator_are_not_lost(self) -> None:
        assert tools_by_name(one for one in [look]) == {"look": look}  # type: ignore[arg-type]

    def test_have_different_names(self) -> None:
        with pytest.raises(ConfigurationError, match="two tools are named 'look'"):
            tools_by_name([look, look_again])

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ([look, plain], r"tools\[1\] must be a Tool, not a function; decorate it with @tool"),
            ([{"name": "look"}], r"tools\[0\] must be a Tool, not a dict; .*Tool\.from_schema\("),
        ],
    )
    def test_are_tools(self, given: Any, problem: str) -> None:
        with pytest.raises(ConfigurationError, match=problem):
            tools_by_name(given)


class TestGates:
    def test_keep_their_order(self) -> None:
        first, second = Gate(), Gate()
        assert check_gates([first, second]) == (first, second)
        assert check_gates(gate for gate in [first, second]) == (first, second)  # type: ignore[arg-type]

    @pytest.mark.parametrize("given", [[Gate], [print], [None]])
    def test_are_objects_with_a_check(self, given: Any) -> None:
        with pytest.raises(ConfigurationError, match=r"gates\[0\] must be an object with a method check\("):
            check_gates(given)


class TestContext:
    def test_is_texts_and_callables(self) -> None:
        given: list[Any] = ["a", str, print]
        assert list(check_context(given)) == given
        assert check_context(text for text in ["a", "b"]) == ("a", "b")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("text", r"context must be a list, such as \[text\], not a str"),
            (None, "context must be a list, .* not None"),
            (7, "context must be a list, .* not an int"),
            (["a", None], r"context\[1\] must be a str or a callable that gives one, not None"),
            ([7], r"context\[0\] must be a str or a callable that gives one, not an int"),
        ],
    )
    def test_is_nothing_else(self, given: Any, words: str) -> None:
        with pytest.raises(ConfigurationError, match=words):
            check_context(given)


class TestText:
    def test_is_a_text_or_gives_one(self) -> None:
        assert check_text("a", "system_prompt") == "a"
        assert check_text(str, "system_prompt") is str

    def test_is_nothing_else(self) -> None:
        wrong: Any = None
        with pytest.raises(
            ConfigurationError, match="system_prompt must be a str or a callable that gives one, not None"
        ):
            check_text(wrong, "system_prompt")


class TestProvider:
    def test_without_capabilities_calls_tools(self) -> None:
        assert check_provider(Whole()) == Capabilities()
        assert check_provider(Streams()) == Capabilities()

    def test_says_what_it_can(self) -> None:
        capabilities = Capabilities(images=True)
        assert check_provider(Scripted(capabilities=capabilities)) is capabilities

    @pytest.mark.parametrize(
        ("given", "found"),
        [
            (Whole, r"the class Whole; make one of it: Whole\(\.\.\.\)"),
            ("ollama:qwen3:8b", r'a str; make one .*: infer_provider\("ollama:qwen3:8b"\)'),
            ([Whole()], r"a list; put several providers into one: Fallback\(first, second\)"),
            (None, "None"),
        ],
    )
    def test_is_an_object_that_answers(self, given: object, found: str) -> None:
        with pytest.raises(ConfigurationError, match=f"must be an object with a method .*, not {found}$"):
            check_provider(given)

    def test_an_agent_is_none(self) -> None:
        with pytest.raises(ConfigurationError, match=r"not an Agent, which asks a provider itself"):
            check_provider(Agent(Whole()))

    def test_has_capabilities_of_the_right_type(self) -> None:
        provider: Any = Whole()
        provider.capabilities = {"images": True}
        with pytest.raises(ConfigurationError, match="must be a Capabilities"):
            check_provider(provider)


class TestSettings:
    def provider(self, unsupported: object) -> Any:
        provider: Any = Whole()
        provider.unsupported_settings = unsupported
        return provider

    def test_are_the_ones_that_are_given(self) -> None:
        settings = ModelSettings(temperature=0.0, seed=1)
        assert check_settings(settings, Whole()) is settings
        assert check_settings(settings, self.provider(frozenset({"stop", "top_p", "other"}))) is settings

    @pytest.mark.parametrize("settings", [ModelSettings(seed=0), ModelSettings(stop=(), seed=1)])
    def test_are_refused_where_the_provider_cannot_take_them(self, settings: ModelSettings) -> None:
        provider = self.provider(frozenset({"seed"}))
        with pytest.raises(ConfigurationError, match="provider Whole cannot take the setting 'seed'"):
            check_settings(settings, provider)
        with pytest.raises(ConfigurationError, match="'seed'"):
            Agent(provider, settings=settings)
        Agent(provider, settings=ModelSettings(top_p=0.5))

    @pytest.mark.parametrize("unsupported", ["seed", ["seed"], None])
    def test_are_named_in_a_set(self, unsupported: object) -> None:
        with pytest.raises(ConfigurationError, match="'unsupported_settings' must be a set"):
            check_settings(ModelSettings(), self.provider(unsupported))


class TestImages:
    image = Message.user("look", ContentPart.image_url("https://example.org/a.png"))

    def test_are_refused_where_nobody_sees_them(self) -> None:
        with pytest.raises(ConfigurationError, match=r"Capabilities\(images=True\)"):
            check_images((Message.user("hi"), self.image), Capabilities())

    def test_are_taken_elsewhere(self) -> None:
        check_images((self.image,), Capabilities(images=True))
        check_images((Message.user("hi"),), Capabilities())


class TestSessions:
    def test_are_kept_in_a_store(self) -> None:
        check_sessions(None)
        check_sessions(InMemorySessions())

    @pytest.mark.parametrize("given", [InMemorySessions, {}, "sqlite://"])
    def test_are_kept_in_nothing_else(self, given: object) -> None:
        with pytest.raises(ConfigurationError, match="sessions must be an object with methods load"):
            check_sessions(given)


def test_an_argument_has_its_type() -> None:
    check_type(3, int, "max_iterations")
    with pytest.raises(ConfigurationError, match="max_iterations must be of type int, not a str"):
        check_type("3", int, "max_iterations")
