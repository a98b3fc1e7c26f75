"""The workflows: no logic of their own, each Python, and nothing that can change under them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = {
    path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github/workflows").iterdir())
}
TARGETS = set(
    re.findall(r"^([a-z][\w-]*):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
)

EACH = pytest.mark.parametrize("name", WORKFLOWS)


def commands(text: str) -> list[str]:
    """What the steps of a workflow run."""
    return re.findall(r"^ *(?:- )?run: *(\S.*)$", text, re.MULTILINE)


def problem(command: str) -> str | None:
    """Why a step must not run this; ``None`` when it calls make or .ci/run and does nothing else."""
    if command == ".ci/run":
        return None
    match = re.fullmatch(r'make ([a-z-]+)(?: [A-Z]+="?\$?\w+"?)*', command)
    if match is None:
        return f"{command!r} is more than a call of make or .ci/run"
    return None if match[1] in TARGETS else f"the Makefile has no target {match[1]}"


@EACH
def test_a_workflow_calls_make_or_the_script(name: str) -> None:
    assert [found for command in commands(WORKFLOWS[name]) if (found := problem(command))] == []


def test_each_workflow_runs_what_it_is_for() -> None:
    assert commands(WORKFLOWS["test.yml"]) == ["make unit", "make portable", ".ci/run"]
    assert commands(WORKFLOWS["site.yml"]) == ["make site"]
    assert commands(WORKFLOWS["release.yml"]) == ["make test", 'make dist TAG="$GITHUB_REF_NAME"']


@pytest.mark.parametrize(
    "command",
    [
        "|",
        "pip install finalturn",
        "make gone",
        "make test && echo fine",
        "make test || true",
        "make test; true",
        ".ci/run | tail",
        'make dist TAG="$(date)"',
    ],
)
def test_a_step_with_logic_of_its_own_is_found(command: str) -> None:
    assert problem(command) is not None


@EACH
def test_every_action_is_pinned_by_its_commit(name: str) -> None:
    used = re.findall(r"uses: *(.*)$", WORKFLOWS[name], re.MULTILINE)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_an_action_has_the_same_commit_everywhere() -> None:
    used = {one for text in WORKFLOWS.values() for one in re.findall(r"uses: *(\S+)", text)}
    assert len({one.partition("@")[0] for one in used}) == len(used)


@EACH
def test_it_may_read_and_asks_for_no_more_but_where_it_publishes(name: str) -> None:
    text = WORKFLOWS[name]
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
    assert re.search(r"^concurrency:\n", text, re.MULTILINE)
    written = set(re.findall(r"^ +([\w-]+): write\b", text, re.MULTILINE))
    assert (
        written == {"test.yml": set(), "site.yml": {"pages", "id-token"}, "release.yml": {"id-token"}}[name]
    )
    assert "secrets." not in text
    assert "pull_request_target" not in text


def test_each_python_that_the_package_names_is_tested() -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "classifiers"
    ]
    wanted = re.findall(r"Python :: (3\.\d+)", " ".join(classifiers))
    (matrix,) = re.findall(r"python: \[(.*)\]", WORKFLOWS["test.yml"])
    assert re.findall(r'"([\d.]+)"', matrix) == wanted


def test_the_parts_that_any_system_can_run_are_there() -> None:
    (folders,) = re.findall(
        r"^PORTABLE := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [folder for folder in folders.split() if not (ROOT / folder).is_dir()] == []
