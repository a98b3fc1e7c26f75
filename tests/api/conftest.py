"""Whether the API is attacked, and that nothing of it is passed over in silence."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests out, and say so, where nobody has asked for them."""
    attacks = [item for item in items if item.get_closest_marker("api")]
    if not attacks or os.environ.get("FINALTURN_API"):
        return
    config.hook.pytest_deselected(items=attacks)
    items[:] = [item for item in items if item not in attacks]
    config.stash[_LEFT_OUT] = len(attacks)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"FINALTURN_API is not set: {left_out} attacks on the API left out" if left_out else ""


@pytest.fixture(scope="session")
def schemathesis() -> str:
    """The attacker's command."""
    found = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if found is None:
        if os.environ["FINALTURN_API"] == "required":
            pytest.fail("Schemathesis is not installed: make .venv/.ci")
        pytest.skip("Schemathesis is not installed: make .venv/.ci")
    return found
