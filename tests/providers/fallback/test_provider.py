"""A list of providers, of which the first that can answers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from finalturn import (
    Agent,
    Capabilities,
    ConfigurationError,
    ModelResponse,
    ModelSettings,
    Provider,
    ProviderError,
    StreamingProvider,
)
from finalturn.gates import provider_check
from finalturn.providers import Fallback, OpenAIChat, Scripted
from tests.providers._fallback import REQUEST, Named, Nobody, down, says

pytestmark = pytest.mark.anyio

NAMES = [field.name for field in fields(Capabilities)]


def test_it_is_a_provider_of_both_kinds() -> None:
    provider = Fallback(Scripted())
    assert isinstance(provider, Provider)
    assert isinstance(provider, StreamingProvider)


class TestWhatItCanDo:
    @pytest.mark.parametrize("name", NAMES)
    def test_is_what_all_can_do(self, name: str) -> None:
        able = Capabilities(**dict.fromkeys(NAMES, True))
        unable = Capabilities(**{**dict.fromkeys(NAMES, True), name: False})
        assert Fallback(Scripted(capabilities=able), Scripted(capabilities=able)).capabilities == able
        assert Fallback(Scripted(capabilities=able), Scripted(capabilities=unable)).capabilities == unable
        assert Fallback(Scripted(capabilities=unable), Scripted(capabilities=able)).capabilities == unable

    def test_is_native_tools_where_a_provider_does_not_say(self) -> None:
        assert Fallback(Scripted(capabilities=Capabilities(images=True)), Nobody()).capabilities == (
            Capabilities()
        )

    def test_is_known_of_nested_ones(self) -> None:
        inner = Fallback(Scripted(capabilities=Capabilities(images=True)))
        assert Fallback(inner).capabilities == Capabilities(images=True)


class TestWhatItCannotTake:
    def test_is_what_one_cannot_take(self) -> None:
        class Picky(Scripted):
            def __init__(self, *names: str) -> None:
                super().__init__()
                self.unsupported_settings = set(names)

        provider = Fallback(Fallback(Picky("seed")), Scripted(), Picky("stop", "seed"))
        assert provider.unsupported_settings == frozenset({"seed", "stop"})
        with pytest.raises(ConfigurationError, match="cannot take the setting 'seed'"):
            Agent(provider, settings=ModelSettings(seed=1))

    def test_is_nothing_where_none_says_so(self) -> None:
        assert Fallback(Scripted(), Nobody()).unsupported_settings == frozenset()


class TestNames:
    def test_are_what_a_switch_says(self, caplog: pytest.LogCaptureFixture) -> None:
        failing = Scripted(ProviderError("down"))
        provider = Fallback(failing, Scripted("Hello"), names=("fast", "careful"))
        assert repr(provider) == "Fallback(fast, careful)"
        (switch,) = Agent(provider).run("go").switches
        assert (switch.from_provider, switch.to_provider) == ("fast", "careful")
        assert caplog.messages == ["model call 0 goes from fast to careful: down"]

    def test_tell_providers_apart_that_say_no_more(self, caplog: pytest.LogCaptureFixture) -> None:
        Agent(Fallback(Scripted(ProviderError("down")), Scripted("Hello"))).run("go")
        assert caplog.messages == ["model call 0 goes from Scripted (1) to Scripted (2): down"]

    @pytest.mark.parametrize("names", [(), ("a",), ("a", "a"), ("a", " "), ("a", None), "ab"])
    def test_are_as_many_and_differ(self, names: Any) -> None:
        with pytest.raises(ConfigurationError, match="names must be 2 different texts"):
            Fallback(Scripted(), Scripted(), names=names)


class TestItCannotBeMade:
    def test_of_nothing(self) -> None:
        with pytest.raises(ConfigurationError, match="Fallback needs providers"):
            Fallback()

    @pytest.mark.parametrize(
        ("wrong", "kind"),
        [
            (None, "None"),
            ("openai:m", r'a str; make one from the name of a model: infer_provider\("openai:m"\)'),
            (OpenAIChat, r"the class OpenAIChat; make one of it: OpenAIChat\(\.\.\.\)"),
        ],
    )
    def test_of_what_is_no_provider(self, wrong: Any, kind: str) -> None:
        with pytest.raises(ConfigurationError, match=rf"providers\[1\] must be an object .*, not {kind}$"):
            Fallback(Scripted(), wrong)

    @pytest.mark.parametrize(
        ("name", "value", "wanted"),
        [("capabilities", {"images": True}, "a Capabilities"), ("unsupported_settings", "seed", "a set")],
    )
    def test_of_a_provider_that_says_it_wrongly(self, name: str, value: Any, wanted: str) -> None:
        wrong = Nobody()
        setattr(wrong, name, value)
        with pytest.raises(ConfigurationError, match=rf"'{name}' of providers\[0\] must be {wanted}"):
            Fallback(wrong)


class TestWithoutAnAgent:
    async def test_each_stream_is_on_its_own(self) -> None:
        first = Named("a", down(), "back")
        provider = Fallback(first, Named("b", "Hello"))
        one = [event async for event in provider.stream(REQUEST)]
        two = [event async for event in provider.stream(REQUEST)]
        assert one[0] == says("Hello")[0]
        assert len(one[-1].switches) == 1  # type: ignore[union-attr]  # pyright: ignore
        assert two == says("back")

    async def test_each_whole_reply_is_on_its_own(self) -> None:
        provider = Fallback(Named("a", down(), "back"), Named("b", "Hello"))
        assert (await provider.complete(REQUEST)).content == "Hello"
        assert await provider.complete(REQUEST) == ModelResponse("back")

    async def test_all_may_fail(self) -> None:
        provider = Fallback(Named("a", down()), Named("b", down()))
        with pytest.raises(ProviderError, match="all 2 providers that were tried failed"):
            await provider.complete(REQUEST)

    async def test_it_may_judge_calls(self) -> None:
        check = provider_check(Fallback(Named("a", down()), Named("b", "yes")))
        assert await check(Scripted.call("look", {}).as_tool_call(), []) is True  # type: ignore[union-attr]  # pyright: ignore


def test_a_view_for_a_turn_is_its_own() -> None:
    provider = Fallback(Scripted())
    assert provider.for_turn() is not provider.for_turn()


def test_it_names_its_providers_and_no_key() -> None:
    chat = OpenAIChat("m", base_url="http://127.0.0.1:1/v1", api_key="sk-SENTINEL")
    assert repr(Fallback(chat, Fallback(Scripted()))) == "Fallback(OpenAIChat m, Fallback(Scripted))"
    assert "SENTINEL" not in repr(Fallback(chat))
