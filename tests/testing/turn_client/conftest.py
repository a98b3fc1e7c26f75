"""Fixtures of the tests of the client."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Serving is for asyncio alone."""
    return "asyncio"
