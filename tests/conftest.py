"""Fixtures that every test module shares, and what every test is given."""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from collections.abc import Generator

import pytest

from tests._limited import limited, usual_signals

LIMIT = 400.0
"""Seconds for what a test does, for what it sets up, and for its tidying up: longer than anything that it
waits for with a limit of its own. A test that takes it all fails."""

END = 180.0
"""Seconds for the process to end after its last test: a thread that waits for nothing would keep it."""


PROCESSES = "FINALTURN_PROCESSES"
"""With this in the environment, tests are run too that start programs and wait for their ends."""

_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave those out, and say so, where nobody has asked for them."""
    waiting = [item for item in items if item.get_closest_marker("processes")]
    if waiting and not os.environ.get(PROCESSES):
        config.hook.pytest_deselected(items=waiting)
        items[:] = [item for item in items if item not in waiting]
        config.stash[_LEFT_OUT] = len(waiting)


def pytest_collection_finish() -> None:
    """What stays for the whole run, such as thousands of tests, is not to be looked at in each collection."""
    gc.collect()
    gc.freeze()


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"{PROCESSES} is not set: {left_out} tests that wait for programs left out" if left_out else ""


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Every async test runs on both event loops."""
    return str(request.param)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    with usual_signals():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None]:
    with limited(LIMIT):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    with limited(LIMIT):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None]:
    with limited(LIMIT):
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    if sys.__stderr__ is not None:
        faulthandler.dump_traceback_later(END, exit=True, file=sys.__stderr__)
