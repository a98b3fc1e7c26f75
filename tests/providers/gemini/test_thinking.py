"""What a user says of thinking, as the field of a request."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._providers.gemini.thinking import thinking_config


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (None, None),
        (True, {"includeThoughts": True}),
        (False, {"thinkingBudget": 0}),
        (0, {"thinkingBudget": 0}),
        (-1, {"thinkingBudget": -1, "includeThoughts": True}),
        (512, {"thinkingBudget": 512, "includeThoughts": True}),
        ("low", {"thinkingLevel": "LOW", "includeThoughts": True}),
        ({"thinkingLevel": "XHIGH"}, {"thinkingLevel": "XHIGH"}),
    ],
)
def test_each_form(given: Any, field: Any) -> None:
    found = thinking_config(given)
    assert found == field
    assert not isinstance((found or {}).get("thinkingBudget"), bool)


@pytest.mark.parametrize("given", [-2, 1.5, "LOW", "much", [], b"low"])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="thinking is"):
        thinking_config(given)
