"""The providers of a `Fallback` for one turn, and the place that the turn has come to."""

from __future__ import annotations

from typing import Any

from finalturn._providers.fallback.members import Members, names_of
from finalturn.providers import Anthropic, Fallback, Gemini, OpenAIChat, OpenAIResponses, Scripted
from tests.providers._fallback import Named


def test_the_place_only_moves_on_and_ends_at_the_last() -> None:
    members = Members([Named("a"), Named("b"), Named("c")])
    assert members.place == 0
    assert members.move_to(2)
    assert members.move_to(1)
    assert members.place == 2
    assert not members.move_to(3)
    assert members.place == 2
    assert [members.name(place) for place in range(3)] == ["a", "b", "c"]


def test_a_member_is_made_for_the_turn_once_and_when_it_is_needed() -> None:
    class Making(Scripted):
        made = 0

        def for_turn(self) -> Any:
            self.made += 1
            return Scripted()

    first, second = Making(), Making()
    members = Members([first, second])
    assert members.provider(1) is members.provider(1)
    assert (first.made, second.made) == (0, 1)
    assert Members([second]).provider(0) is not members.provider(1)
    assert second.made == 2


def test_a_name_is_the_vendor_and_the_model_or_what_the_provider_says_of_itself() -> None:
    chat = OpenAIChat("m", base_url="http://127.0.0.1:9", api_key="sk-SENTINEL")
    groq = OpenAIChat("m", profile="groq", api_key="sk-SENTINEL")
    others = [Anthropic("claude", api_key="k"), OpenAIResponses("gpt", api_key="k"), Gemini("g", api_key="k")]
    assert names_of([chat, groq, Named("mine"), *others]) == (
        "OpenAIChat m", "Groq m", "mine", "Anthropic claude", "OpenAI gpt", "Gemini g",
    )  # fmt: skip
    assert "SENTINEL" not in repr(Fallback(chat))


def test_what_would_have_one_name_is_told_apart_by_its_place() -> None:
    assert names_of([Scripted(), Named("mine"), Scripted()]) == ("Scripted (1)", "mine", "Scripted (3)")
    assert names_of([Scripted()]) == ("Scripted",), "an address in memory tells nobody anything"
