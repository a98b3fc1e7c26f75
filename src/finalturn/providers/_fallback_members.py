"""The providers of a `Fallback` for one turn, and the place that the turn has come to."""

from __future__ import annotations

from collections.abc import Sequence

from finalturn._asking._turn import for_turn
from finalturn.core.errors import ProviderError
from finalturn.core.protocols import Provider, StreamingProvider


class Members:
    """A list of providers, and a place in it that only moves on.

    Args:
        providers: the list.

    Attributes:
        place: where the next call begins.
        failures: of those that the turn has left behind.
    """

    def __init__(self, providers: Sequence[Provider | StreamingProvider]) -> None:
        self._providers = providers
        self._of_turn: dict[int, Provider | StreamingProvider] = {}
        self.place = 0
        self.failures: list[ProviderError] = []

    def move_to(self, place: int) -> bool:
        """Whether there is a provider at this place; if so, later calls do not begin before it."""
        if place >= len(self._providers):
            return False
        self.place = max(self.place, place)
        return True

    def provider(self, place: int) -> Provider | StreamingProvider:
        """Whom to ask at this place: one object for all calls of the turn."""
        if place not in self._of_turn:
            self._of_turn[place] = for_turn(self._providers[place])
        return self._of_turn[place]

    def name(self, place: int) -> str:
        """What the provider at this place is called."""
        return name_of(self._providers[place])


def name_of(provider: object) -> str:
    """What a provider is called: its ``repr()``, or its type when that says no more."""
    if type(provider).__repr__ is object.__repr__:
        return type(provider).__name__
    return repr(provider)
