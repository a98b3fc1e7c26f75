"""`Fallback`: a provider that asks a list of providers in turn, until one can answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence, Set
from dataclasses import fields
from typing import cast

from finalturn._adapters.events import CallEvent, CallSource
from finalturn._adapters.whole import ask_whole
from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.model import Capabilities, ModelEvent, ModelRequest, ModelResponse
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import ProviderSwitch
from finalturn._providers.fallback.call import FallbackCall
from finalturn._providers.fallback.events import FallbackEvents
from finalturn._providers.fallback.members import Members, names_of
from finalturn._providers.provider_hint import is_provider, not_a_provider
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta


@beta(since=NEXT)
class Fallback:
    """Providers in order: when one fails, the next is asked.

    ```python
    provider = Fallback(Anthropic("claude-sonnet-5"), OpenAIChat("gpt-5-mini"))
    ```

    A model call goes to the next provider when one raises a `ProviderError`, of whatever kind and after its
    own retries, or ends its answer without a `ModelEnd`; but never once a piece of text or of reasoning has
    been given out, for then somebody has seen it: the error is raised. Pieces of tool calls are held back
    until then or until the answer is complete, so that no call of a broken answer runs. Any other exception
    is raised.

    A turn that has switched stays with the provider that it came to, and another turn begins with the first
    again. Each switch is in ``AgentResult.switches``, and is logged as a warning. Called without an agent, by
    `stream` or `complete`, each call is on its own.

    The tokens that a failed provider reported are part of the call's usage; one that reported none is counted
    in ``unreported_calls``. When no provider can answer, the error is ``retryable`` if that of any of them
    was: another try begins with the first again.

    Args:
        *providers: the providers, of any kind; they may be `Fallback`s too. They stay the caller's to close.
        names: what switches and logs call them, in the same order; by default the vendor and the model.

    Attributes:
        capabilities: what all of them can do.
        unsupported_settings: names of `ModelSettings` fields that one of them cannot take.

    Raises:
        ConfigurationError: there are none, one of them is no provider, or the names are not as many.
    """

    @known_keywords("Fallback")
    def __init__(self, *providers: Provider | StreamingProvider, names: Sequence[str] | None = None) -> None:
        if not providers:
            raise ConfigurationError("Fallback needs providers: Fallback(first, second)")
        supported = [_capabilities_of(provider, place) for place, provider in enumerate(providers)]
        self._providers = providers
        self._names = names_of(providers) if names is None else _checked_names(names, len(providers))
        self.capabilities: Capabilities = Capabilities(
            **{
                field.name: all(getattr(capabilities, field.name) for capabilities in supported)
                for field in fields(Capabilities)
            }
        )
        self.unsupported_settings: frozenset[str] = frozenset[str]().union(
            *(_unsupported_by(provider, place) for place, provider in enumerate(providers))
        )

    def for_turn(self) -> StreamingProvider:
        """The same providers for one turn, with a place in the list of its own. An agent asks for it."""
        return self._view()

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """The first answer that there is, piece by piece. A provider that cannot stream gives it in one.

        Args:
            request: what to answer.

        Raises:
            ProviderError: while iterating: no provider could answer, or one broke off after its first piece.
                With several that failed, ``switches`` and ``detail`` say why each did.
        """
        return self._view().stream(request)

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """The first answer that there is, as a whole. An answer that breaks off anywhere is given up.

        Args:
            request: what to answer.

        Raises:
            ProviderError: no provider could answer. With several that failed, ``switches`` and ``detail``
                say why each did.
        """
        return await self._view().complete(request)

    def _view(self) -> FallbackView:
        return FallbackView(Members(self._providers, self._names))

    def __repr__(self) -> str:
        return f"Fallback({', '.join(self._names)})"


def _checked_names(names: Sequence[str], count: int) -> tuple[str, ...]:
    checked = () if isinstance(names, str) else tuple(names)
    if len(checked) != count or len(set(checked)) != count or not all(map(_is_name, checked)):
        raise ConfigurationError(
            f"Fallback: names must be {count} different texts, one for each provider, none of them blank"
        )
    return checked


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip())


def _capabilities_of(provider: object, place: int) -> Capabilities:
    if not is_provider(provider):
        raise ConfigurationError(
            f"Fallback: providers[{place}] must be an object with a method complete(request) or"
            f" stream(request), not {not_a_provider(provider)}"
        )
    capabilities: object = getattr(provider, "capabilities", None)
    if capabilities is None:
        return Capabilities()
    if not isinstance(capabilities, Capabilities):
        raise ConfigurationError(
            f"Fallback: the attribute 'capabilities' of providers[{place}] must be a Capabilities"
        )
    return capabilities


def _unsupported_by(provider: object, place: int) -> frozenset[str]:
    settings: object = getattr(provider, "unsupported_settings", frozenset[str]())
    if not isinstance(settings, Set):
        raise ConfigurationError(
            f"Fallback: the attribute 'unsupported_settings' of providers[{place}] must be a set of names"
        )
    return frozenset(map(str, cast("Set[object]", settings)))


class FallbackView(CallSource):
    """Asks a turn's members, beginning where the call before has come to.

    Args:
        members: whom to ask.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    def events(self, request: ModelRequest, /) -> AsyncIterator[CallEvent]:
        """The events of one call; a whole reply stays one."""
        return FallbackEvents(FallbackCall(self._members, request))

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """The events of one call; a whole reply comes in pieces."""
        return FallbackEvents(FallbackCall(self._members, request), split=True)

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """The answer as a whole: nothing of it is shown before it is complete.

        Raises:
            ProviderError: no provider could answer.
        """
        call = FallbackCall(self._members, request)
        while True:
            try:
                return call.finish(await ask_whole(call.provider, request))
            except ProviderError as error:
                if not call.goes_on(error):
                    failure = call.all_failed(error)
                    if failure is error:
                        raise
                    raise failure from error


def answered_by(
    provider: Provider | StreamingProvider, switches: Sequence[ProviderSwitch]
) -> Provider | StreamingProvider | None:
    """The provider that has answered all model calls of a turn; ``None`` when several have.

    Args:
        provider: who was asked, a `Fallback` or any other.
        switches: those of the turn, in order.
    """
    if any(switch.call for switch in switches):
        # The calls before it were answered by another.
        return None
    answering: Provider | StreamingProvider | None = provider
    if switches:
        answering = dict(_named(provider)).get(switches[-1].to_provider)
    while isinstance(answering, Fallback):
        answering = answering._providers[0]  # pyright: ignore[reportPrivateUsage]
    return answering


def _named(provider: object) -> Iterator[tuple[str, Provider | StreamingProvider]]:
    if isinstance(provider, Fallback):
        names, members = provider._names, provider._providers  # pyright: ignore[reportPrivateUsage]
        for name, member in zip(names, members, strict=True):
            yield name, member
            yield from _named(member)
