"""Documents that are stale, promise what nobody confirmed, link to nothing, or count by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contractdocs._lone_page import PAGE, lone, on_page
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.checks.documents import NUMBERS, numbers_in
from tools.contractdocs.markdown import Sentence
from tools.contractdocs.project import Project
from tools.contractdocs.render import render

FRESH = Project({**PROJECT.files, **render(PROJECT)})
"""The repository after `make docs`."""
LIVE = "MUST NOT appear on any surface but"


@pytest.mark.parametrize("code", ["FT31", "FT37", "FT3A", "FT3B", "FT3C", "FT3E"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestGenerated:
    def test_nothing_is_stale_after_make_docs(self) -> None:
        assert planted("FT30", FRESH) == []

    def test_a_generated_line_that_was_edited(self) -> None:
        project = FRESH.edited("docs/contract/index.md", "# The contract\n", "# The contracts\n")
        line = project.line_of("docs/contract/index.md", "# The contracts\n")
        assert planted("FT30", project) == [
            f'docs/contract/index.md:{line} FT30 generated-stale: it says "# The contracts"; from the code it'
            ' is "# The contract" -> make docs, and read what changes'
        ]

    @pytest.mark.parametrize(
        ("file", "old", "new"),
        [
            ("docs/contract/streaming.md", LIVE, "MUST NOT appear on a surface but"),
            ("docs/reference/api.txt", "hold_json: bool = False", "hold_json: bool = True"),
            ("src/finalturn/_core/chunks.py", "reuse-signalled", "reuse-signaled"),
            ("README.md", "<!-- value: python -->3.11", "<!-- value: python -->3.10"),
            ("AGENT.md", "Reasoning MUST NOT appear", "Reasoning MUST NOT be shown"),
            ("docs/contract.json", '"since"', '"Since"'),
        ],
    )
    def test_whatever_is_generated_is_compared(self, file: str, old: str, new: str) -> None:
        project = FRESH.edited(file, old, new)
        place = f"{file}:{project.line_of(file, new)} FT30 generated-stale: it says "
        assert [line[: len(place)] for line in planted("FT30", project) if line.startswith(f"{file}:")] == [
            place
        ]

    def test_a_generated_file_that_is_gone(self) -> None:
        assert planted("FT30", FRESH.with_file("docs/contract/machine.md", None)) == [
            "docs/contract/machine.md:1 FT30 generated-stale: it says nothing: there is no such file"
            " -> make docs"
        ]

    @pytest.mark.parametrize("file", ["docs/guides/testing.md", "AGENT.md", "README.md"])
    def test_a_sentence_that_the_file_of_all_documents_lacks_is_found_in_its_document(
        self, file: str
    ) -> None:
        heading = FRESH.files[file].partition("\n## ")[2].partition("\n")[0]
        project = FRESH.edited(file, f"\n## {heading}\n", f"\n## {heading}\n\nSomething else is the case.\n")
        (found,) = planted("FT30", project)
        place = f"{file}:{project.line_of(file, 'Something else is the case.')}"
        assert found.startswith(f"{place} FT30 generated-stale: docs/llms-full.txt says ")

    @pytest.mark.parametrize(
        ("file", "text"),
        [("docs/contract/old.md", "# Old\n"), ("docs/old.md", "<!-- Generated from the code. -->\n# Old\n")],
    )
    def test_a_page_that_nothing_generates(self, file: str, text: str) -> None:
        (found,) = planted("FT3E", PROJECT.with_file(file, text))
        assert found.startswith(f"{file}:1 FT3E left-behind: it is a generated file that nothing generates")


class TestMarkersAndPages:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("<!-- generated: clause -->\n\n<!-- end -->", "has no block or value 'clause'"),
            ("<!-- value: clauses-count -->5<!-- end -->", "has no block or value 'clauses-count'"),
            ("<!-- generated: clauses -->\n\ntext", "has a marker generated 'clauses' that is not closed"),
            ("<!-- end -->", "<!-- end --> is no marker"),
            ("<!-- value = clauses -->", "<!-- value = clauses --> is no marker"),
        ],
    )
    def test_a_marker_that_nothing_fills(self, text: str, said: str) -> None:
        project = PROJECT.edited("README.md", "# finalturn\n", f"# finalturn\n\n{text}\n")
        assert [line for line in planted("FT31", project) if line.startswith("README.md:")] == [
            f"README.md:{project.line_of('README.md', text)} FT31 unknown-marker: {said}"
            " -> mend it, or take it out"
        ]

    def test_a_marker_that_is_shown_as_code_is_none(self) -> None:
        shown = "# finalturn\n\n`<!-- value: x -->`\n\n```\n<!-- generated: y -->\n```\n"
        assert planted("FT31", PROJECT.edited("README.md", "# finalturn\n", shown)) == []

    def test_a_block_of_the_navigation(self) -> None:
        project = PROJECT.edited("mkdocs.yml", "# generated: nav-contract", "# generated: nav-contracts")
        line = project.line_of("mkdocs.yml", "# generated: nav-contracts")
        assert planted("FT31", project) == [
            f"mkdocs.yml:{line} FT31 unknown-marker: has no block or value 'nav-contracts'"
            " -> mend it, or take it out"
        ]

    def test_a_page_outside_the_navigation(self) -> None:
        (found,) = planted("FT31", PROJECT.with_file("docs/guides/lost.md", "# Lost\n"))
        assert found.startswith("docs/guides/lost.md:1 FT31 unknown-marker: is not in the nav of mkdocs.yml")

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ("# A\n", "1 FT37 page-form: it has no description"),
            (
                "---\ndescription: To show it.\n---\n\nText.\n",
                "1 FT37 page-form: it has 0 headings of level 1",
            ),
            (
                "---\ndescription: To see.\n---\n\n# A\n\n# B\n",
                "7 FT37 page-form: it has 2 headings of level 1",
            ),
        ],
    )
    def test_the_form_of_a_page(self, body: str, said: str) -> None:
        (found,) = planted("FT37", lone("").with_file(PAGE, body))
        assert found.startswith(f"{PAGE}:{said}")

    def test_a_page_with_the_description_of_another(self) -> None:
        page = "---\ndescription: To show it.\n---\n\n# A page\n\n```\n# B\n```\n"
        project = lone("").with_file(PAGE, page).with_file("docs/guides/other.md", page)
        assert planted("FT37", project) == [
            f"docs/guides/other.md:2 FT37 page-form: its description is that of {PAGE} -> say what this"
            " page is for"
        ]


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "said"),
        [
            ("[a](gone.md)", "there is no docs/guides/gone.md -> did you mean"),
            ("[a](#nothing)", "docs/guides/planted.md has no anchor nothing"),
            ("[a](planted.md#a-pag)", "docs/guides/planted.md has no anchor a-pag -> did you mean #a-page?"),
            ("![a](gone.svg)", "there is no docs/guides/gone.svg"),
            ("[a](/planted.md)", "it holds on this machine alone"),
            ("[a](../../README.md)", "README.md is not on the site -> link to a page in docs"),
            ("[a](ftp://example.com/)", "it holds on this machine alone"),
        ],
    )
    def test_dead_ones(self, link: str, said: str) -> None:
        (line,) = on_page("FT3A", f"Text, {link}.")
        assert line.startswith("3 FT3A dead-link: it links to ") and said in line

    @pytest.mark.parametrize(
        "text",
        [
            "[a](planted.md) [a](planted.md#a-page)",
            "[a](#the-tools)\n\n## The `tools`",
            "[a](#here)\n\n## There {#here}",
            "[a](#b_1)\n\n## B\n\n## B",
            "[a](https://example.com/a#b) [a](http://localhost:8000) [a](mailto:someone@example.com)",
            "[a][there]\n\n[there]: planted.md",
            "`[a](gone.md)`\n\n```\n[a](gone.md)\n```",
        ],
    )
    def test_good_ones(self, text: str) -> None:
        assert on_page("FT3A", text) == []

    def test_a_page_that_was_renamed(self) -> None:
        text = PROJECT.files["docs/guides/testing.md"]
        project = PROJECT.with_file("docs/guides/testing.md", None).with_file("docs/guides/tests.md", text)
        hint = "did you mean docs/guides/tests.md?"
        assert [line for line in planted("FT3A", project) if line.startswith("README.md") and hint in line]

    def test_a_clause_that_was_renamed(self) -> None:
        page = "docs/contract/streaming.md"
        project = PROJECT.with_file(page, PROJECT.files[page].replace("result-is-last", "result-is-final"))
        assert [line for line in planted("FT3A", project) if line.endswith("did you mean #result-is-final?")]


class TestRetoldClauses:
    def test_a_clause_that_says_something_else(self) -> None:
        clause = next(one for one in PROJECT.clauses if one.id == "close-stops-work")
        found = planted("FT3C", PROJECT.with_clause(replace(clause, statement="It MUST stop.")))
        assert len(found) > 1
        assert all('close-stops-work has changed since "' in line for line in found)
        assert all(
            'it says: "It MUST stop." -> read the sentence beside the clause' in line for line in found
        )

    def test_a_sentence_that_says_something_else(self) -> None:
        text = "When the person leaves, the turn stops"
        project = PROJECT.edited("docs/tutorial.md", text, "When the person leaves, the turn goes on")
        (found,) = planted("FT3C", project)
        place = f"docs/tutorial.md:{PROJECT.line_of('docs/tutorial.md', text)}"
        assert found.startswith(f'{place} FT3C unreviewed-promise: nobody has confirmed "')
        assert 'it was "' in found and found.endswith(f"python -m tools.contractdocs review {place}")

    def test_a_sentence_that_is_gone(self) -> None:
        project = PROJECT.with_file("docs/tutorial.md", "# Tutorial\n")
        found = planted("FT3C", project)
        assert found and all("docs/tutorial.md no longer has the sentence" in line for line in found)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("When the person leaves, the turn stops", "When the person leaves, the *turn* stops"),
            ("When the person leaves", "When the [person](index.md) leaves"),
            ("When the person leaves", "Nothing is promised here. When the person leaves"),
        ],
    )
    def test_other_marks_links_and_neighbours_need_no_second_look(self, old: str, new: str) -> None:
        assert planted("FT3C", PROJECT.edited("docs/tutorial.md", old, new)) == []


class TestNumbers:
    def test_a_number_in_a_sentence(self) -> None:
        (found,) = on_page("FT3B", "There are 17 clauses\nand five surfaces.")
        assert found.startswith(
            '3 FT3B counted-prose: "17", "five" is written by hand: "There are 17 clauses and five surfaces."'
            " -> show it with <!-- value: NAME --><!-- end -->, "
        )

    @pytest.mark.parametrize(
        "text",
        [
            "There are <!-- value: clauses -->17<!-- end --> clauses.",
            "It is `17` or [there](planted.md#17), at http://127.0.0.1:8000/chat.",
            "1. First.\n2. Second.",
            "One of them, at once, in UTF-8 over HTTP/1.1.",
            "```\n17\n```\n\n<!-- 17 -->",
        ],
    )
    def test_what_is_none(self, text: str) -> None:
        assert on_page("FT3B", text) == []

    @pytest.mark.parametrize(
        ("text", "numbers"),
        [
            ("up to 16 of them.", ["16"]),
            ("at 3.11, or 1,000", ["3.11", "1,000"]),
            ("two dozen, twice, sixteen", ["two", "dozen", "twice", "sixteen"]),
            ("someone often used it", []),
        ],
    )
    def test_what_is_a_number(self, text: str, numbers: list[str]) -> None:
        assert numbers_in(Sentence(1, text)) == numbers

    def listed(self, text: str, more: str = "") -> list[str]:
        entry = f'[[number]]\nfile = "{PAGE}"\nsentence = "It has two ends."\nreason = "always"\n{more}\n'
        return planted("FT3B", lone(text).with_file(NUMBERS, entry))

    def test_a_sentence_that_is_listed(self) -> None:
        assert self.listed("It has two ends.") == []

    def test_an_entry_for_a_sentence_that_is_gone(self) -> None:
        (found,) = self.listed("It has ends.")
        assert found.startswith(
            f'{NUMBERS}:3 FT3B counted-prose: {PAGE} no longer has the sentence "It has two'
        )

    def test_an_entry_whose_source_has_changed(self) -> None:
        (found,) = self.listed("It has two ends.", "source = { file = 'Makefile', text = 'two: one' }")
        assert "rests on 'two: one', which Makefile no longer holds" in found

    def test_the_changelog_tells_of_changes_and_needs_no_entry(self) -> None:
        text = "# Changelog\n\n## [Unreleased]\n\n- It has two ends.\n"
        assert planted("FT3B", lone("").with_file("CHANGELOG.md", text)) == []
