"""What the tests of front ends need, and what becomes of them where that is absent."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

ASKED = "FINALTURN_FRONTENDS"


def absent(what: str) -> NoReturn:
    """The test is not run; where everything has to be there, that is a failure."""
    if os.environ.get(ASKED) == "required":
        pytest.fail(f"not run: {what}")
    pytest.skip(f"not run: {what}")
