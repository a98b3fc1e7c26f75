"""What turns cost: by vendor and model, with a cache, at another time, and after a switch."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import Usage as PricedUsage
from genai_prices import calc_price
from genai_prices.data_snapshot import DataSnapshot, set_custom_snapshot
from genai_prices.types import ClauseEquals, ModelInfo, ModelPrice, Provider

from finalturn import Agent, AgentResult, ConfigurationError, ProviderError, ToolCall, Usage, tool
from finalturn.prices import cost_of, cost_of_turn
from finalturn.providers import Anthropic, Bedrock, Fallback, Gemini, OpenAIChat, Scripted, Vertex

MILLION = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)


class Priced(Scripted):
    """A scripted model that says whose it is."""

    def __init__(self, vendor: str | None, model: str, *calls: Any, **more: Any) -> None:
        super().__init__(*calls, **more)
        self.vendor = vendor
        self.model = model

    def __repr__(self) -> str:
        return f"{self.vendor} {self.model}"


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A price list that no release changes."""

    def provider(name: str, model: str, price: ModelPrice) -> Provider:
        return Provider(
            id=name,
            name=name,
            api_pattern="never",
            models=[ModelInfo(id=model, match=ClauseEquals(equals=model), prices=price)],
        )

    one = ModelPrice(input_mtok=Decimal(2), cache_read_mtok=Decimal(1), output_mtok=Decimal(10))
    other = ModelPrice(input_mtok=Decimal(20), output_mtok=Decimal(100))
    set_custom_snapshot(
        DataSnapshot(
            providers=[
                provider("openai", "large", one),
                provider("anthropic", "clever", other),
                provider("azure", "large", other),
                provider("aws", "large", other),
                provider("google", "large", other),
            ],
            from_auto_update=False,
        )
    )
    yield
    set_custom_snapshot(None)


class TestCostOf:
    def test_is_in_dollars_by_kind_of_token(self) -> None:
        # 600,000 at 2, 400,000 at 1 and 100,000 at 10 dollars for a million.
        assert cost_of(MILLION, vendor="OpenAI", model="large") == Decimal("2.6")
        assert cost_of(Usage(), vendor="OpenAI", model="large") == 0

    def test_is_unknown_without_a_price(self) -> None:
        assert cost_of(MILLION, vendor="OpenAI", model="unheard-of") is None
        assert cost_of(MILLION, vendor="Ollama", model="large") is None

    @pytest.mark.parametrize("vendor", ["Azure OpenAI", "Bedrock", "Gemini", "Vertex AI"])
    def test_knows_vendors_by_their_names_here(self, vendor: str) -> None:
        assert cost_of(Usage(output_tokens=10), vendor=vendor, model="large") == Decimal("0.001")

    def test_does_not_mind_more_cached_tokens_than_were_read(self) -> None:
        usage = Usage(input_tokens=10, cached_tokens=1_000_000)
        assert cost_of(usage, vendor="OpenAI", model="large") == Decimal("0.00001")

    def test_needs_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "genai_prices", None)
        with pytest.raises(ConfigurationError, match=r"pip install 'finalturn\[prices\]'"):
            cost_of(MILLION, vendor="OpenAI", model="large")

    def test_says_which_argument_it_does_not_have(self) -> None:
        wrong: dict[str, Any] = {"vendr": "OpenAI", "model": "large"}
        with pytest.raises(TypeError, match="did you mean 'vendor'"):
            cost_of(MILLION, **wrong)


class TestTheRealList:
    @pytest.fixture(autouse=True)
    def bundled(self, listed: None) -> None:
        set_custom_snapshot(None)

    def test_is_asked_for_the_time(self) -> None:
        usage = Usage(input_tokens=1000)
        for at in (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 1), None):
            expected = calc_price(
                PricedUsage(input_tokens=1000),
                model_ref="gpt-4o",
                provider_id="openai",
                genai_request_timestamp=datetime(2026, 3, 1, tzinfo=UTC),
            )
            assert cost_of(usage, vendor="OpenAI", model="gpt-4o", at=at) == expected.total_price

    @pytest.mark.parametrize(
        "provider",
        [
            OpenAIChat("gpt-4o", api_key="k"),
            OpenAIChat("gpt-4o", profile="azure", base_url="https://x.openai.azure.com", api_key="k"),
            OpenAIChat("llama-3.3-70b-versatile", profile="groq", api_key="k"),
            OpenAIChat("deepseek-chat", profile="deepseek", api_key="k"),
            OpenAIChat("mistral-large-latest", profile="mistral", api_key="k"),
            OpenAIChat("openai/gpt-4o", profile="openrouter", api_key="k"),
            OpenAIChat("meta-llama/Llama-3.3-70B-Instruct-Turbo", profile="together", api_key="k"),
            Anthropic("claude-sonnet-4-5", api_key="k"),
            Bedrock("anthropic.claude-sonnet-4-5-20250929-v1:0", region="us-east-1"),
            Gemini("gemini-2.5-pro", api_key="k"),
            Gemini("gemini-2.5-pro", vertex=Vertex("project", "us-central1", lambda: "token")),
        ],
        ids=lambda provider: str(provider.vendor),
    )
    def test_has_the_vendors_of_providers(self, provider: Any) -> None:
        cost = cost_of(Usage(input_tokens=1000), vendor=provider.vendor, model=provider.model)
        assert cost is not None and cost > 0


def turn(provider: Any) -> AgentResult[None]:
    @tool
    def look() -> str:
        """Looks."""
        return "seen"

    return Agent(provider, tools=[look]).run("?")


def down(usage: Usage | None = None) -> ProviderError:
    error = ProviderError("down")
    error.usage = usage
    return error


class TestCostOfATurn:
    def test_is_that_of_all_its_calls(self) -> None:
        provider = Priced("OpenAI", "large", [ToolCall("look"), MILLION], ["done", MILLION])
        assert cost_of_turn(turn(provider), provider) == Decimal("5.2")

    def test_is_unknown_where_nobody_says_whose_model_it_is(self) -> None:
        provider = Priced(None, "large", ["done", MILLION])
        assert cost_of_turn(turn(provider), provider) is None
        assert cost_of_turn(turn(Scripted(["done", MILLION])), Scripted()) is None

    def test_without_a_switch_is_that_of_the_first(self) -> None:
        provider = Fallback(
            Priced("OpenAI", "large", ["done", MILLION]), Priced("Anthropic", "clever", "unused")
        )
        assert cost_of_turn(turn(provider), provider) == Decimal("2.6")

    def test_after_a_switch_is_that_of_who_answered(self) -> None:
        spent = Usage(output_tokens=10)
        inner = Fallback(
            Priced("Nobody", "inner", down()),
            Priced("Anthropic", "clever", ["done", spent]),
            names=["a", "b"],
        )
        provider = Fallback(Priced("OpenAI", "large", down(spent)), inner)
        result = turn(provider)
        assert len(result.switches) == 2
        assert result.usage.unreported_calls == 1
        # What the first had reported when it failed is priced at the rate of the one that answered.
        assert cost_of_turn(result, provider) == Decimal("0.002")

    def test_is_unknown_where_several_have_answered(self) -> None:
        provider = Fallback(
            Priced("OpenAI", "large", [ToolCall("look"), MILLION], down()),
            Priced("Anthropic", "clever", ["done", MILLION]),
        )
        assert cost_of_turn(turn(provider), provider) is None

    def test_is_unknown_where_the_provider_is_another(self) -> None:
        provider = Fallback(
            Priced("OpenAI", "large", down()), Priced("Anthropic", "clever", ["done", MILLION])
        )
        other = Fallback(Priced("OpenAI", "large"), Priced("OpenAI", "small"))
        result = turn(provider)
        assert cost_of_turn(result, other) is None
        assert cost_of_turn(result, Priced("OpenAI", "large")) is None
