"""Which tests of front ends are run, and the programs that they need."""

from __future__ import annotations

import os

import pytest

from tests.frontends._clients import Clients
from tests.frontends._need import ASKED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out, and say so, where nobody has asked for them."""
    ours = [item for item in items if item.get_closest_marker("frontends")]
    if not ours or os.environ.get(ASKED):
        return
    config.hook.pytest_deselected(items=ours)
    items[:] = [item for item in items if item not in ours]
    config.stash[_LEFT_OUT] = len(ours)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"{ASKED} is not set: {left_out} tests of front ends left out" if left_out else ""


_LEFT_OUT = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def clients() -> Clients:
    """The clients, built."""
    return Clients.build()
