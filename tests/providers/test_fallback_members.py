"""The providers of a `Fallback` for one turn, and the place that the turn has come to."""

from __future__ import annotations

from typing import Any

from finalturn.providers import Fallback, OpenAIChat, Scripted
from finalturn.providers._fallback_members import Members, name_of
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


def test_a_name_is_what_the_provider_says_of_itself() -> None:
    assert name_of(Named("mine")) == "mine"
    assert name_of(Scripted()) == "Scripted", "an address in memory tells nobody anything"
    chat = OpenAIChat("m", base_url="http://127.0.0.1:1/v1", api_key="sk-SENTINEL")
    assert name_of(chat) == repr(chat)
    assert "SENTINEL" not in name_of(Fallback(chat))
