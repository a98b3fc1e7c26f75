"""What a browser test needs, and what becomes of it where that is absent."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

ASKED_FOR = "FINALTURN_BROWSER"


def absent(what: str) -> NoReturn:
    """The test is not run; where everything has to be there, that is a failure."""
    if os.environ.get(ASKED_FOR) == "required":
        pytest.fail(f"not run: {what}")
    pytest.skip(f"not run: {what}")
