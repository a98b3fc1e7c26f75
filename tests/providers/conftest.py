"""What the provider tests share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """What is sent and read has nothing to do with the event loop. Folders whose tests have use both."""
    return "asyncio"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the recordings, and say so, where there are none."""
    recorded = [item for item in items if item.get_closest_marker("recordings")]
    if not recorded or os.environ.get("FINALTURN_RECORDINGS"):
        return
    config.hook.pytest_deselected(items=recorded)
    items[:] = [item for item in items if item not in recorded]
    config.stash[_LEFT_OUT] = len(recorded)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"FINALTURN_RECORDINGS is not set: {left_out} tests of recordings left out" if left_out else ""


_LEFT_OUT = pytest.StashKey[int]()
