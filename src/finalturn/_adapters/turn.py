"""What a provider makes of itself for one turn."""

from __future__ import annotations

from typing import Any, cast

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.protocols import Provider, StreamingProvider


def for_turn(provider: Provider | StreamingProvider) -> Provider | StreamingProvider:
    """Whom to ask in all model calls of one turn: what the provider's ``for_turn()`` gives, or itself.

    Raises:
        ConfigurationError: what it gives is no provider.
    """
    make: Any = getattr(provider, "for_turn", None)
    if make is None:
        return provider
    found = cast("object", make())
    if not isinstance(found, (Provider, StreamingProvider)):
        raise ConfigurationError(
            f"{type(provider).__name__}.for_turn() returned {described(found)}; it must return an"
            " object with a method complete(request) or stream(request)"
        )
    return found
