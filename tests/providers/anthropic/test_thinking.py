"""How much to think, as a user says it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._providers.anthropic.thinking import budget_of, thinking_field


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (None, None),
        ("adaptive", {"type": "adaptive", "display": "summarized"}),
        (1024, {"type": "enabled", "budget_tokens": 1024}),
        (MappingProxyType({"type": "disabled"}), {"type": "disabled"}),
    ],
)
def test_the_field(given: object, field: dict[str, Any] | None) -> None:
    assert thinking_field(given) == field


@pytest.mark.parametrize("given", [True, False, 0, 1023, -1, "enabled", "", 2048.0, ["adaptive"]])
def test_what_is_no_way_to_think_is_refused(given: object) -> None:
    with pytest.raises(ConfigurationError, match="thinking"):
        thinking_field(given)


@pytest.mark.parametrize(
    ("field", "budget"),
    [
        (None, None),
        ({"type": "adaptive"}, None),
        ({"type": "disabled", "budget_tokens": 9}, None),
        ({"type": "enabled", "budget_tokens": 2048}, 2048),
        ({"type": "enabled"}, 0),
        ({"type": "enabled", "budget_tokens": "2048"}, 0),
        ("enabled", None),
    ],
)
def test_the_budget(field: object, budget: int | None) -> None:
    assert budget_of(field) == budget
