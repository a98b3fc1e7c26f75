"""What ``import finalturn`` gives."""

from __future__ import annotations

import pkgutil
import tomllib
from pathlib import Path

import finalturn

ROOT = Path(__file__).resolve().parents[1]


def test_every_exported_name_is_there_and_in_order() -> None:
    assert all(hasattr(finalturn, name) for name in finalturn.__all__)
    assert len(set(finalturn.__all__)) == len(finalturn.__all__)


def test_nothing_else_is_public() -> None:
    modules = {module.name for module in pkgutil.iter_modules(finalturn.__path__)}
    public = {name for name in vars(finalturn) if not name.startswith("_")}
    assert public - modules == set(finalturn.__all__) - {"__version__"}


def test_the_version_is_said_once_more_and_the_same() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert finalturn.__version__ == project["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"## [{finalturn.__version__}]" in changelog
