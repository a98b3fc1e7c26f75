"""The cost of tokens, by the price list of the package genai-prices."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from finalturn._core.errors import ConfigurationError
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import AgentResult, Usage
from finalturn._providers.fallback.provider import answered_by
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

__all__ = ["cost_of", "cost_of_turn"]

# What the list calls a vendor, where that is not its name in small letters.
_VENDORS = {
    "Azure OpenAI": "azure",
    "Bedrock": "aws",
    "Gemini": "google",
    "Vertex AI": "google",
}


@beta(since=NEXT)
@known_keywords("cost_of")
def cost_of(usage: Usage, *, vendor: str, model: str, at: datetime | None = None) -> Decimal | None:
    """What tokens cost, in US dollars.

    The prices are those of the package genai-prices, for requests that are paid by the token at the usual
    rate: no discount of a contract, no batch, no free tier. The list is part of the package: keep it up to
    date, or let ``genai_prices.UpdatePrices`` fetch a newer one. Where ``unreported_calls`` of the usage is
    not 0, the cost is too low.

    Args:
        usage: the tokens. Those from a cache are priced as such. Where a price depends on how long a request
            is, they count as one request.
        vendor: whose model it is, as ``vendor`` of a provider says, such as ``"OpenAI"``.
        model: the vendor's name of the model, as ``model`` of a provider says.
        at: when; now by default. A time without a zone is UTC.

    Returns:
        The dollars; ``None`` when the list has no price for this model of this vendor, such as for one that
        runs on a machine of your own.

    Raises:
        ConfigurationError: the extra is not installed.
    """
    try:
        from genai_prices import Usage as PricedUsage
        from genai_prices import calc_price
    except ImportError as error:
        raise ConfigurationError(
            "prices need the package genai-prices: pip install 'finalturn[prices]'"
        ) from error
    priced = PricedUsage(
        input_tokens=usage.input_tokens,
        # A vendor that counts them apart from what it has read has no more of them than that for the list.
        cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        output_tokens=usage.output_tokens,
    )
    try:
        price = calc_price(
            priced,
            model_ref=model,
            provider_id=_VENDORS.get(vendor, vendor.lower()),
            genai_request_timestamp=at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at,
        )
    except LookupError:
        return None
    return price.total_price


@beta(since=NEXT)
@known_keywords("cost_of_turn")
def cost_of_turn(
    result: AgentResult[Any], provider: Provider | StreamingProvider, *, at: datetime | None = None
) -> Decimal | None:
    """What a turn cost, in US dollars: all of its model calls, as `cost_of` has it.

    Of a `Fallback`, the model is priced that has answered. Tokens that a provider reported before it failed
    are part of the result's usage, and are priced as if that model had used them. So are those of agents that
    ran as tools of the turn.

    Args:
        result: the turn's result.
        provider: who answered it: the agent's provider, or that of the call.
        at: when; now by default. A time without a zone is UTC.

    Returns:
        The dollars; ``None`` when the list has no price, when the provider does not say whose model it is, or
        when several providers of a `Fallback` have answered calls of the turn: nothing says how many tokens
        each of them used.

    Raises:
        ConfigurationError: the extra is not installed.
    """
    answering = answered_by(provider, result.switches)
    vendor: object = getattr(answering, "vendor", None)
    model: object = getattr(answering, "model", None)
    if not isinstance(vendor, str) or not isinstance(model, str):
        return None
    return cost_of(result.usage, vendor=vendor, model=model, at=at)
