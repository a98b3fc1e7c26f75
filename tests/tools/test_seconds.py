"""Numbers of seconds."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._tools.seconds import checked_seconds


def test_numbers() -> None:
    assert checked_seconds("x", None) is None
    found = checked_seconds("x", 3)
    assert found == 3.0
    assert isinstance(found, float)


@pytest.mark.parametrize("value", [0, -0.5, float("inf"), float("nan"), False, "1", [1]])
def test_others(value: Any) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^x is a number of seconds above 0, or None for no limit, not "
    ):
        checked_seconds("x", value)
