"""The providers of a `Fallback` for one turn, and the position that the turn has reached in them."""

from __future__ import annotations

from collections.abc import Sequence

from finalturn._adapters.events import for_turn
from finalturn._core.errors import ProviderError
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._providers.http.provider import HttpProvider, label_of


class Members:
    """A list of providers, and a place in it that only moves on.

    Args:
        providers: the list.
        names: what they are called.

    Attributes:
        place: where the next call begins.
        failures: of those that the turn has left behind.
    """

    def __init__(
        self, providers: Sequence[Provider | StreamingProvider], names: Sequence[str] | None = None
    ) -> None:
        self._providers = providers
        self._names = names_of(providers) if names is None else names
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
        return self._names[place]


def names_of(providers: Sequence[object]) -> tuple[str, ...]:
    """What providers are called, each by another name: where two would have one, their places tell."""
    names = [_name_of(provider) for provider in providers]
    return tuple(
        name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, 1)
    )


def _name_of(provider: object) -> str:
    """The vendor and the model of one of ours; of any other its ``repr()``, or its type."""
    if isinstance(provider, HttpProvider):
        return label_of(provider)
    if type(provider).__repr__ is object.__repr__:
        return type(provider).__name__
    return repr(provider)
