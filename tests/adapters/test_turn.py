"""What a provider makes of itself for one turn."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ConfigurationError
from finalturn._adapters.turn import for_turn
from finalturn._core.described import described
from finalturn.providers import Scripted


class Making:
    """A provider that makes another for each turn."""

    def __init__(self, found: Any) -> None:
        self.found = found
        self.made = 0

    def complete(self, request: Any, /) -> Any:
        raise AssertionError("it is not asked itself")

    def for_turn(self) -> Any:
        self.made += 1
        return self.found


def test_most_providers_answer_themselves() -> None:
    provider = Scripted()
    assert for_turn(provider) is provider


@pytest.mark.parametrize("found", [Scripted(), Scripted().whole_reply()], ids=["streaming", "whole"])
def test_one_that_says_who_answers_is_asked_once(found: Any) -> None:
    making = Making(found)
    assert for_turn(making) is found
    assert making.made == 1


@pytest.mark.parametrize("found", [None, "provider", 7])
def test_who_answers_is_a_provider(found: Any) -> None:
    with pytest.raises(
        ConfigurationError, match=rf"Making.for_turn\(\) returned {described(found)}; it must return an"
    ):
        for_turn(Making(found))
