"""Documents for contributors: what of them is checked, and what is theirs to say."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.markdown import documents, written

FILES = [
    ".github/PULL_REQUEST_TEMPLATE.md",
    "ARCHITECTURE.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]


@pytest.mark.parametrize("file", FILES)
def test_it_is_looked_at_and_is_not_for_users(file: str) -> None:
    assert file in dict(written(PROJECT))
    assert file not in dict(documents(PROJECT))


@pytest.mark.parametrize("file", ["AGENT.md", "AGENTS.md", "README.md", "docs/guides/threats.md"])
def test_every_other_document_is_for_users(file: str) -> None:
    assert file in dict(documents(PROJECT))


@pytest.mark.parametrize("file", FILES)
def test_a_command_and_a_link_that_lead_nowhere_are_found(file: str) -> None:
    broken = PROJECT.with_file(file, "# It\n\nRun `make tests`, and read [that](docs/guides/threat.md).\n")
    assert [line for line in planted("FT35", broken) if line.startswith(f"{file}:3 ")] == [
        f'{file}:3 FT35 dead-command: "make tests" does not work: the Makefile has no target tests'
        " -> did you mean test?"
    ]
    (dead,) = planted("FT3A", broken)
    assert dead.startswith(f"{file}:3 FT3A dead-link: ")


@pytest.mark.parametrize("file", FILES)
def test_names_numbers_and_promises_are_its_own(file: str) -> None:
    free = PROJECT.with_file(file, "# It\n\nThe `_driver` always takes 7 steps, and never `_skips_one`.\n")
    for code in ("FT33", "FT3B", "FT3C"):
        assert planted(code, free) == []
