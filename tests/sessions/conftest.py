"""Which databases the tests use."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.sessions._postgres import REQUIRED, Server, postgres_server

_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave PostgreSQL out, and say so, where nobody has asked for it."""
    unwanted = [] if REQUIRED else [item for item in items if item.get_closest_marker("postgres")]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if item not in unwanted]
        config.stash[_LEFT_OUT] = len(unwanted)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"FINALTURN_POSTGRES is not set: {left_out} tests of PostgreSQL left out" if left_out else ""


@pytest.fixture
def anyio_backend() -> str:
    """SQL sessions are for asyncio alone."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Generator[Server]:
    """A running PostgreSQL."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with nothing in it, of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/sessions.db"
    server: Server = request.getfixturevalue("postgres")
    return server.new_schema()
