"""What a live test needs, and what becomes of it where that is absent."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def absent(what: str) -> NoReturn:
    """The test is not run; where everything has to be there, that is a failure."""
    if os.environ.get("FINALTURN_LIVE") == "required":
        pytest.fail(f"not run: {what}")
    pytest.skip(f"not run: {what}")
