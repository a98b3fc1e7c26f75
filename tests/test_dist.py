"""What is released: the version that the tag names, whole."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MAKEFILE = ROOT / "Makefile"
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-01\n"


def made(folder: Path, version: str, tag: str = "TAG=") -> str:
    """What ``make dist`` prints for a package of a version, whose build does nothing."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\necho "{version}"\n')
    python.chmod(0o755)
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    given = ["--silent", "--assume-old", ".venv/.demo", f"--file={MAKEFILE}", f"PYTHON_IN={python}"]
    run = subprocess.run(
        ["make", *given, "dist", tag],
        check=False,
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    assert (run.returncode == 0) == (run.stdout == f"{version}\n")
    return run.stdout


def test_a_build_for_nobody_asks_for_no_tag(tmp_path: Path) -> None:
    assert made(tmp_path, "0.9.0") == "0.9.0\n"


def test_the_tag_of_the_version_may_be_built(tmp_path: Path) -> None:
    assert made(tmp_path, "1.2.3", "TAG=v1.2.3") == "1.2.3\n"


@pytest.mark.parametrize("tag", ["v1.2.4", "1.2.3", "v1.2.3rc1", "v1.2.3 ", "$(echo v1.2.3)"])
def test_another_tag_is_refused(tag: str, tmp_path: Path) -> None:
    assert "tag v1.2.3, or make release first" in made(tmp_path, "1.2.3", f"TAG={tag.replace('$', '$$')}")


@pytest.mark.parametrize("version", ["1.2", "1.2.4", "1.2.30"])
def test_a_version_that_the_changelog_does_not_have_is_refused(version: str, tmp_path: Path) -> None:
    said = made(tmp_path, version, f"TAG=v{version}")
    assert f"CHANGELOG.md has no section [{version}]: make release writes it" in said


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
