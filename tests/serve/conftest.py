"""Fixtures of the server's tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Serving is for asyncio alone."""
    return "asyncio"
