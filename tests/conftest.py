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


ASKED_FOR = {"processes": "FINALTURN_PROCESSES", "llm_local": "FINALTURN_LLM_LOCAL"}
"""Tests with these markers are run where the environment has this."""

_LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave those out, and say so, where nobody has asked for them."""
    config.stash[_LEFT_OUT] = {}
    for marker, variable in ASKED_FOR.items():
        if os.environ.get(variable):
            continue
        marked = {item for item in items if item.get_closest_marker(marker)}
        if marked:
            config.hook.pytest_deselected(items=list(marked))
            items[:] = [item for item in items if item not in marked]
            config.stash[_LEFT_OUT][marker] = len(marked)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What has been collected lives until the end: it is not searched for garbage, then and in each test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        # What tests leave is small beside what is frozen: it is looked for less often.
        gc.set_threshold(20_000, 10, 10)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """The printed lines."""
    return [
        f"{ASKED_FOR[marker]} is not set: {number} tests marked {marker} left out"
        for marker, number in config.stash.get(_LEFT_OUT, dict[str, int]()).items()
    ]


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
