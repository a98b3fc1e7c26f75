"""What is generated, as a whole: pure, deterministic, and changed only by what it shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from finalturn.contract import HELD_JSON
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.findings import ROOT
from tools.contractdocs.project import Project
from tools.contractdocs.render import obsolete, problems, render

LEAKS = {"a model leaks": {"default": "shown"}}
RENDERED = render(PROJECT, LEAKS)
FRESH = replace(PROJECT, files={**PROJECT.files, **RENDERED})
"""The repository as it is after a run of ``make docs``."""


def changed(project: Project) -> set[str]:
    """The files that are rendered in another way than those of the repository."""
    found = render(project, LEAKS)
    return {name for name in found.keys() | RENDERED.keys() if found.get(name) != RENDERED.get(name)}


def test_rendering_again_changes_nothing() -> None:
    assert render(FRESH, LEAKS) == RENDERED


def test_it_does_not_depend_on_the_order_of_the_files() -> None:
    assert changed(replace(PROJECT, files=dict(reversed(list(PROJECT.files.items()))))) == set()


def test_the_project_is_not_changed() -> None:
    files = dict(PROJECT.files)
    render(PROJECT, LEAKS)
    assert files == PROJECT.files


def test_what_the_run_showed_is_in_the_leak_matrix_alone() -> None:
    found = render(PROJECT, {"a model leaks": {"default": "not shown"}})
    assert {name for name in found if found[name] != RENDERED[name]} == {
        "docs/contract/leak-matrix.md",
        "docs/llms-full.txt",
    }


def test_another_hash_seed_time_zone_and_locale_give_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import hashlib, json, pathlib, sys;"
        "import tools.contractdocs.project as p, tools.contractdocs.render as r;"
        "files = json.loads(pathlib.Path(sys.argv[1]).read_bytes());"
        "print({name: hashlib.sha256(text.encode()).hexdigest() for name, text in"
        " r.render(p.Project(files), {'a': {'b': 'c'}}).items()})"
    )
    files = tmp_path / "files.json"
    files.write_text(json.dumps(dict(PROJECT.files)))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(files)],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "PYTHONPATH": "src:."},
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        ).stdout
        for seed, zone, locale in [("1", "Pacific/Kiritimati", "C"), ("2", "America/Los_Angeles", "C.UTF-8")]
    }
    assert len(outputs) == 1
    assert "docs/contract/index.md" in outputs.pop()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "src/finalturn/_core/turn/guards.py",
            "def is_valid(",
            "def _private() -> None: ...\n\n\ndef is_valid(",
        ),
        (
            "src/finalturn/_core/turn/table.py",
            "when=(when.in_default_mode,),",
            "when=(\n    when.in_default_mode,\n        ),",
        ),
        ("src/finalturn/_tools/run.py", "MOST_AT_A_TIME = 16", "# As many as fit.\nMOST_AT_A_TIME = 16"),
        ("src/finalturn/_core/protocols.py", "import annotations\n", "import annotations\n\n_PRIVATE = 1\n"),
        (
            "tests/contract/_scenes.py",
            "import annotations\n",
            "import annotations\n\n\ndef _helper() -> None: ...\n",
        ),
    ],
)
def test_harmless_changes_of_code_change_no_generated_page(file: str, old: str, new: str) -> None:
    assert changed(FRESH.edited(file, old, new)) - {file} == set()


def test_functions_in_another_order_change_no_generated_page() -> None:
    file = "src/finalturn/_core/turn/guards.py"
    head, *functions = re.split(r"(?=^def )", FRESH.files[file], flags=re.MULTILINE)
    assert len(functions) > 10
    assert changed(FRESH.with_file(file, head + "".join(reversed(functions)))) == set()


def test_a_longer_docstring_changes_only_what_shows_it() -> None:
    project = FRESH.edited(
        "src/finalturn/_core/result.py",
        '"""The terminal result of a turn.\n',
        '"""The terminal result of a turn. Read it.\n',
    )
    assert changed(project) == {"docs/llms-full.txt", "src/finalturn/_core/result.py"}


def test_a_clause_is_shown_in_its_pages_and_docstrings() -> None:
    project = FRESH.with_clause(replace(HELD_JSON, statement="JSON MUST NOT be seen."))
    assert changed(project) == {
        "AGENT.md",
        "docs/contract.json",
        "docs/contract/index.md",
        "docs/contract/streaming.md",
        "docs/llms-full.txt",
        "src/finalturn/_agent/config.py",
    }


def test_a_rule_is_shown_on_the_page_of_the_machine() -> None:
    table = tuple(
        replace(rule, shows=(*rule.shows, *rule.shows)) if rule.name == "reuse-shown" else rule
        for rule in PROJECT.table
    )
    assert changed(replace(FRESH, table=table)) == {
        "docs/contract/machine.md",
        "docs/contract.json",
        "docs/llms-full.txt",
    }


def test_the_proofs_of_a_clause_are_named() -> None:
    file = "tests/contract/test_streaming.py"
    project = FRESH.edited(
        file, "@proves(SYNTHESIS_NEVER_STREAMS)\ndef test_", "@proves(HELD_JSON)\ndef test_other_"
    )
    found = json.loads(render(project, LEAKS)["docs/contract.json"])
    tests = next(one["tests"] for one in found["clauses"] if one["id"] == "held-json")
    assert [test for test in tests if test["name"].startswith("test_other_")]


def test_a_fresh_repository_has_no_problems() -> None:
    assert problems(FRESH) == []
    assert obsolete(FRESH) == []


def test_pages_and_navigation_must_agree() -> None:
    project = FRESH.with_file("docs/lost.md", "# Lost\n").edited(
        "mkdocs.yml", "  - Changelog: changelog.md\n", "  - Changelog: changes.md\n"
    )
    line = project.line_of("mkdocs.yml", "changes.md")
    assert problems(project) == [
        f"mkdocs.yml:{line} names changes.md, which is not there",
        "docs/changelog.md is not in the nav of mkdocs.yml",
        "docs/lost.md is not in the nav of mkdocs.yml",
    ]


def test_a_navigation_that_cannot_be_read_is_a_problem() -> None:
    project = FRESH.edited("mkdocs.yml", "  - Changelog: changelog.md\n", "  - {Changelog: changelog.md}\n")
    line = project.line_of("mkdocs.yml", "{Changelog")
    (found,) = problems(project)
    assert found.startswith(f"mkdocs.yml:{line} is not understood")
    assert found in render(project, LEAKS)["docs/llms.txt"]


def test_a_marker_that_nothing_fills_is_a_problem() -> None:
    project = FRESH.with_file("README.md", "<!-- value: claused -->1<!-- end -->\n")
    assert problems(project) == ["README.md:1 has no block or value 'claused'"]


def test_what_nothing_generates_any_more_is_found() -> None:
    assert obsolete(FRESH.with_file("docs/contract/old.md", "old")) == ["docs/contract/old.md"]
