"""Which live tests are run, and the servers that they ask."""

from __future__ import annotations

import os
from collections.abc import Generator
from importlib.util import find_spec

import pytest

from finalturn.local import LocalModel, LocalModelUnavailable
from tests.live._aimock import aimock
from tests.live._judge import Judge
from tests.live._need import absent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out, and say so, where nobody has asked for them."""
    live = [item for item in items if item.get_closest_marker("live")]
    if not live or os.environ.get("FINALTURN_LIVE"):
        return
    config.hook.pytest_deselected(items=live)
    items[:] = [item for item in items if item not in live]
    config.stash[_LEFT_OUT] = len(live)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"FINALTURN_LIVE is not set: {left_out} tests of live servers left out" if left_out else ""


_LEFT_OUT = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def aimock_url() -> Generator[str]:
    """aimock, running."""
    with aimock() as url:
        yield url


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """llmock, running, with nothing planned and nothing seen."""
    if find_spec("llmock") is None:
        absent("llmock is not installed: make .venv/.live")
    found: Judge = request.getfixturevalue("llmock")
    return found


@pytest.fixture(scope="session")
def model() -> Generator[LocalModel]:
    """The real small model, running."""
    try:
        with LocalModel() as running:
            yield running
    except LocalModelUnavailable as missing:
        absent(str(missing))
