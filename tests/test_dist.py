"""What is released: the version that the tag names, whole."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.dist import ROOT, main, problem

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-01\n"


def test_a_build_for_nobody_asks_for_no_tag() -> None:
    assert problem("1.2.3", None, "") is None


def test_the_tag_of_the_version_may_be_built() -> None:
    assert problem("1.2.3", "v1.2.3", CHANGELOG) is None


@pytest.mark.parametrize("tag", ["v1.2.4", "1.2.3", "v1.2.3rc1", ""])
def test_another_tag_is_refused(tag: str) -> None:
    found = problem("1.2.3", tag, CHANGELOG)
    assert found is not None
    assert "tag v1.2.3" in found


@pytest.mark.parametrize("version", ["1.2", "1.2.4", "1.2.30"])
def test_a_version_that_the_changelog_does_not_have_is_refused(version: str) -> None:
    found = problem(version, f"v{version}", CHANGELOG)
    assert found == f"CHANGELOG.md has no section [{version}]: make release writes it"


def test_a_wrong_tag_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["v0.0.0-no-version"]) == 1
    assert "v0.0.0-no-version" in capsys.readouterr().out
    assert main(["v1", "v2"]) == 2


def test_the_package_holds_its_types_its_licence_and_the_plugin(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path / "dist")]
    subprocess.run(build, check=True, cwd=ROOT, capture_output=True, timeout=300)
    wheel, source = sorted(path.name for path in (tmp_path / "dist").iterdir())
    assert source.endswith(".tar.gz")
    assert wheel.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(tmp_path / "dist" / wheel) as packed:
        names = packed.namelist()
    assert {"finalturn/__init__.py", "finalturn/py.typed", "_finalturn_pytest.py"} <= set(names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert not any(name.startswith(("tests", "tools")) for name in names)
    with tarfile.open(tmp_path / "dist" / source) as packed_source:
        inside = {name.partition("/")[2] for name in packed_source.getnames()}
    assert {
        "src/finalturn/__init__.py",
        "tests/test_dist.py",
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
    } <= inside
