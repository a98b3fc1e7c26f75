"""Generated files that are stale or left behind, and markers that nothing fills."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._project import Project
from tools.contractdocs.render import render

PAGE = "docs/guides/planted.md"
FRESH = Project({**PROJECT.files, **render(PROJECT)})
"""The repository after `make docs`."""


def page(text: str) -> Project:
    return PROJECT.with_file(PAGE, text)


@pytest.mark.parametrize("code", ["FT31", "FT3E"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


def test_nothing_is_stale_after_make_docs() -> None:
    assert planted("FT30", FRESH) == []


def test_a_generated_line_that_was_edited() -> None:
    project = FRESH.edited("docs/contract/index.md", "# The contract\n", "# The contracts\n")
    line = project.line_of("docs/contract/index.md", "# The contracts\n")
    assert planted("FT30", project) == [
        f'docs/contract/index.md:{line} FT30 generated-stale: it says "# The contracts"; from the code it is'
        ' "# The contract" -> make docs, and read what changes'
    ]


def test_a_long_line_is_shown_around_its_first_difference() -> None:
    file = "docs/contract/streaming.md"
    project = FRESH.edited(file, "MUST NOT appear on any surface but", "MUST NOT appear on a surface but")
    line = project.line_of(file, "MUST NOT appear on a surface but")
    found = planted("FT30", project)
    assert f"{file}:{line} FT30 generated-stale: it says" in found[0]
    assert "on a surface but" in found[0] and "on any surface but" in found[0] and len(found[0]) < 330


def test_a_generated_file_that_is_gone() -> None:
    project = FRESH.with_file("docs/contract/machine.md", None)
    assert planted("FT30", project) == [
        "docs/contract/machine.md:1 FT30 generated-stale: it says there is no such file; from the code"
        ' it is "---"'
        " -> make docs, and read what changes"
    ]


def test_a_contract_section_of_a_docstring() -> None:
    file = "src/finalturn/_core/chunks.py"
    project = FRESH.edited(file, "reuse-signalled", "reuse-signaled")
    assert [line.partition(" -> ")[0][:60] for line in planted("FT30", project)] == [
        f"{file}:{project.line_of(file, 'reuse-signaled')} FT30 generated-stale: it says"[:60]
    ]


def test_a_value_in_a_sentence() -> None:
    file = "README.md"
    value = "<!-- value: python -->3.11<!-- end -->"
    project = FRESH.edited(file, value, value.replace("3.11", "3.10"))
    assert [line.partition(" FT30")[0] for line in planted("FT30", project) if line.startswith(file)] == [
        f"{file}:{project.line_of(file, '-->3.10<')}"
    ]


def test_a_page_that_nothing_generates() -> None:
    said = "it is a generated file that nothing generates any more"
    remedy = "delete it; a page that people write stands elsewhere, and does not begin with <!-- Generated"
    for file, text in {
        "docs/contract/old.md": "# Old\n",
        "docs/drift/ft99.md": "# Old\n",
        "docs/old.md": "<!-- Generated from the code. -->\n# Old\n",
    }.items():
        assert planted("FT3E", PROJECT.with_file(file, text)) == [
            f"{file}:1 FT3E left-behind: {said} -> {remedy}"
        ]


def test_a_block_of_another_name() -> None:
    assert planted("FT31", page("# A\n\n<!-- generated: clause -->\n\n<!-- end -->\n")) == [
        f'{PAGE}:3 FT31 unknown-marker: there is no block "clause" -> did you mean "clauses"?'
    ]


def test_a_value_of_another_name() -> None:
    assert planted("FT31", page("# A\n\nIt has <!-- value: clauses-count -->5<!-- end --> of them.\n")) == [
        f'{PAGE}:3 FT31 unknown-marker: there is no value "clauses-count" -> did you mean "clauses"?'
    ]


def test_a_block_that_is_not_closed() -> None:
    assert planted("FT31", page("# A\n\n<!-- generated: clauses -->\n\ntext\n")) == [
        f'{PAGE}:3 FT31 unknown-marker: the block "clauses" is not closed -> put <!-- end --> behind it'
    ]


def test_an_end_of_nothing() -> None:
    assert planted("FT31", page("# A\n\n<!-- end -->\n")) == [
        f"{PAGE}:3 FT31 unknown-marker: <!-- end --> closes nothing -> delete it"
    ]


def test_a_marker_that_is_not_understood() -> None:
    assert planted("FT31", page("# A\n\n<!-- value = clauses -->\n")) == [
        f"{PAGE}:3 FT31 unknown-marker: <!-- value = clauses --> is not understood -> write <!-- word:"
        " NAME -->"
    ]


def test_a_marker_that_is_shown_as_code_is_none() -> None:
    assert planted("FT31", page("# A\n\n`<!-- value: x -->`\n\n```\n<!-- generated: y -->\n```\n")) == []


def test_a_block_of_the_navigation() -> None:
    project = PROJECT.edited("mkdocs.yml", "# generated: nav-drift", "# generated: nav-drifts")
    line = project.line_of("mkdocs.yml", "# generated: nav-drifts")
    assert planted("FT31", project) == [
        f'mkdocs.yml:{line} FT31 unknown-marker: there is no block "nav-drifts" -> did you mean "nav-drift"?'
    ]


@pytest.mark.parametrize("file", ["docs/guides/testing.md", "AGENT.md", "README.md"])
def test_a_sentence_that_the_file_of_all_documents_does_not_have(file: str) -> None:
    heading = FRESH.files[file].partition("\n## ")[2].partition("\n")[0]
    project = FRESH.edited(file, f"\n## {heading}\n", f"\n## {heading}\n\nSomething else is the case.\n")
    line = project.line_of(file, "Something else is the case.")
    assert planted("FT38", project) == [
        f"{file}:{line} FT38 llms-stale: docs/llms-full.txt does not say what stands here:"
        ' "Something else is the case." -> make docs, and read what changes'
    ]
    assert planted("FT30", project) == []
    assert planted("FT38", FRESH) == []


def test_a_line_that_was_taken_out_of_a_document() -> None:
    row = next(line for line in FRESH.files["README.md"].split("\n") if line.startswith("| `make site`"))
    above = FRESH.files["README.md"].partition(row)[0].rstrip("\n").rpartition("\n")[2]
    project = FRESH.edited("README.md", row + "\n", "")
    place = f"README.md:{project.line_of('README.md', above)}"
    assert planted("FT38", project) == [
        f"{place} FT38 llms-stale: docs/llms-full.txt says what no longer stands here:"
        f' "{row}" -> make docs, and read what changes'
    ]
