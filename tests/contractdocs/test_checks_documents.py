"""Documents that are stale, promise what nobody confirmed, link to nothing, or count by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contractdocs._plant import PAGE, PROJECT, Planted, lone, on_page, planted
from tools.contractdocs import render
from tools.contractdocs.checks.documents import NUMBERS, numbers_in
from tools.contractdocs.markdown import Sentence, documents, written
from tools.contractdocs.project import Project

LIVE = "MUST NOT appear on any surface but"
FOR_CONTRIBUTORS = [
    ".github/PULL_REQUEST_TEMPLATE.md",
    "ARCHITECTURE.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]


@pytest.mark.parametrize("code", ["FT31", "FT37", "FT3A", "FT3B", "FT3C"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return render.render(PROJECT)


class TestGenerated:
    @pytest.fixture(autouse=True)
    def stays(self, rendered: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        """What is generated is that of the repository, whatever was edited."""

        def repository_s(project: Project) -> dict[str, str]:
            return rendered

        monkeypatch.setattr(render, "_rendered", repository_s)
        self.fresh = PROJECT.with_files(rendered)

    def test_nothing_is_stale_after_make_docs(self) -> None:
        assert planted("FT30", self.fresh) == []

    @pytest.mark.parametrize(
        ("file", "old", "new"),
        [
            ("docs/contract/streaming.md", LIVE, "MUST NOT appear on a surface but"),
            ("src/finalturn/_core/chunks.py", "reuse-signalled", "reuse-signaled"),
            ("README.md", "<!-- value: python -->3.11", "<!-- value: python -->3.10"),
            ("docs/contract.json", '"since"', '"Since"'),
        ],
    )
    def test_whatever_is_generated_is_compared(self, file: str, old: str, new: str) -> None:
        project = self.fresh.edited(file, old, new)
        (found,) = planted("FT30", project)
        assert found.startswith(f"{file}:{project.line_of(file, new)} FT30 generated-stale: it says ")
        assert "; from the code it is " in found and found.endswith(" -> make docs, and read what changes")

    def test_files_that_are_gone_or_left_behind(self) -> None:
        page, old = "docs/contract/machine.md", "docs/contract/old.md"
        assert planted("FT30", self.fresh.with_files({page: None, old: "old"})) == [
            f"{page}:1 FT30 generated-stale: it says nothing: there is no such file -> make docs",
            f"{old}:1 FT30 generated-stale: it is a generated file that nothing generates any more"
            " -> make docs; a page that people write stands in another folder",
        ]


class TestMarkersAndPages:
    @pytest.mark.parametrize(
        ("text", "marker"),
        [
            ("<!-- generated: clause -->\n\n<!-- end -->", "<!-- generated: clause -->"),
            ("<!-- value: clauses-count -->5<!-- end -->", "<!-- value: clauses-count -->"),
            ("<!-- generated: clauses -->\n\ntext", "<!-- generated: clauses -->"),
            ("<!-- end -->", "<!-- end -->"),
            ("<!-- value = clauses -->", "<!-- value = clauses -->"),
        ],
    )
    def test_a_marker_that_nothing_fills(self, text: str, marker: str) -> None:
        assert on_page("FT31", text)[0] == (
            f"3 FT31 unknown-marker: {marker} is a marker that nothing fills -> mend it, or take it out"
        )

    def test_a_marker_that_is_filled_or_shown_as_code_is_none(self) -> None:
        shown = "`<!-- value: x -->` <!-- value: python -->3<!-- end -->\n\n```\n<!-- generated: y -->\n```"
        assert on_page("FT31", shown) == []

    def test_a_page_without_a_description(self) -> None:
        assert on_page("FT37", "Text.") == [
            "1 FT37 page-form: it has no description -> begin it with front matter: description: one sentence"
        ]


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "said"),
        [
            (
                "docs/guides/testin.md",
                "there is no docs/guides/testin.md -> did you mean docs/guides/testing.md?",
            ),
            ("#b-d", "README.md has no anchor b-d -> did you mean b-c?"),
            ("/docs/index.md", "there is no /docs/index.md -> "),
            ("AGENT.md#nowhere", "AGENT.md has no anchor nowhere -> "),
        ],
    )
    def test_dead_ones(self, link: str, said: str) -> None:
        (found,) = planted(
            "FT3A", PROJECT.with_file("README.md", f"# A\n\n## B, `c`!\n\n## D\n\n[a]({link})\n")
        )
        assert found.startswith(f"README.md:7 FT3A dead-link: it links to {link}; {said}")

    def test_good_ones(self) -> None:
        text = (
            "# A page\n\n## B & `c`\n\n[a](#b--c) [a](docs/index.md) [a](src) [a](AGENT.md#the-contract)\n"
            "[a](https://example.com/a#b) [a](mailto:someone@example.com) `[a](gone.md)`\n\n"
            "```\n[a](gone.md)\n```\n"
        )
        assert planted("FT3A", PROJECT.with_file("README.md", text)) == []


class TestRetoldClauses:
    def test_a_clause_that_says_something_else(self) -> None:
        clause = next(one for one in PROJECT.clauses if one.id == "close-stops-work")
        found = planted("FT3C", PROJECT.with_clause(replace(clause, statement="It MUST stop.")))
        assert len(found) > 1
        assert all('close-stops-work has changed since "' in line for line in found)
        assert all('says: "It MUST stop." -> read the sentence beside the clause' in line for line in found)

    def test_a_sentence_that_says_something_else_or_is_gone(self) -> None:
        text = "When the person leaves, the turn stops"
        project = PROJECT.edited("docs/tutorial.md", text, "When the person leaves, the turn goes on")
        (found,) = planted("FT3C", project)
        place = f"docs/tutorial.md:{PROJECT.line_of('docs/tutorial.md', text)}"
        assert found.startswith(f'{place} FT3C unreviewed-promise: nobody has confirmed "')
        assert found.endswith(f"python -m tools.contractdocs review {place}")
        gone = planted("FT3C", PROJECT.with_file("docs/tutorial.md", "# Tutorial\n"))
        assert gone and all("docs/tutorial.md no longer has the sentence" in line for line in gone)

    @pytest.mark.parametrize(
        "new",
        [
            "When the person leaves, the *turn* stops",
            "When the [person](index.md) leaves, the turn stops",
            "Nothing is promised here. When the person leaves, the turn stops",
        ],
    )
    def test_other_marks_links_and_neighbours_need_no_second_look(self, new: str) -> None:
        project = PROJECT.edited("docs/tutorial.md", "When the person leaves, the turn stops", new)
        assert planted("FT3C", project) == []


class TestNumbers:
    def test_a_number_in_a_sentence(self) -> None:
        (found,) = on_page("FT3B", "There are 17 clauses\nand five surfaces.")
        assert found.startswith(
            '3 FT3B counted-prose: 17 is written by hand: "There are 17 clauses and five surfaces."'
            " -> show it with <!-- value: NAME --><!-- end -->, "
        )

    def test_what_is_none(self) -> None:
        texts = [
            "There are <!-- value: clauses -->17<!-- end --> clauses.",
            "It is `17` or [there](planted.md#17), at http://127.0.0.1:8000/chat.",
            "1. First.\n2. Second.",
            "One of them, at once, in UTF-8 over HTTP/1.1.",
            "```\n17\n```\n\n<!-- 17 -->",
        ]
        assert on_page("FT3B", "\n\n".join(texts)) == []
        assert numbers_in(Sentence(1, "up to 16, at 3.11, or 1,000.")) == ["16", "3.11", "1,000"]

    def listed(self, text: str, more: str = "") -> list[str]:
        entry = f'[[number]]\nfile = "{PAGE}"\nsentence = "It has 2 ends."\nreason = "always"\n{more}\n'
        return planted("FT3B", lone(text).with_file(NUMBERS, entry))

    def test_a_sentence_that_is_listed(self) -> None:
        assert self.listed("It has 2 ends.") == []
        assert self.listed("It has ends.") == [
            f'{NUMBERS}:1 FT3B counted-prose: {PAGE} no longer has the sentence "It has 2 ends."'
            " -> delete its entry"
        ]
        (found,) = self.listed("It has 2 ends.", "source = { file = 'Makefile', text = '2: one' }")
        assert "Makefile no longer holds '2: one', on which \"It has 2 ends.\" rests" in found

    def test_the_changelog_tells_of_changes_and_needs_no_entry(self) -> None:
        text = "# Changelog\n\n## [Unreleased]\n\n- It has 2 ends.\n"
        assert planted("FT3B", lone("").with_file("CHANGELOG.md", text)) == []


def test_documents_for_contributors_are_checked_and_promise_nothing() -> None:
    assert {*FOR_CONTRIBUTORS, "AGENT.md", "AGENTS.md"} <= dict(written(PROJECT)).keys()
    users = dict(documents(PROJECT)).keys()
    assert {"AGENT.md", "AGENTS.md", "README.md", "docs/guides/threats.md"} <= users
    assert not users & set(FOR_CONTRIBUTORS)
    text = (
        "# It\n\nRun `make tests`, and read [that](docs/guides/threat.md).\n"
        "The `_driver` always takes 7 steps, and never `_skips_one`.\n"
    )
    project = lone("").with_files(dict.fromkeys(FOR_CONTRIBUTORS, text))
    for code, found in (("FT35", 1), ("FT3A", 1), ("FT33", 0), ("FT3B", 0)):
        places = [line.partition(f" {code} ")[0] for line in planted(code, project)]
        assert places == [f"{file}:3" for file in FOR_CONTRIBUTORS] * found


def test_a_project_of_one_page_is_read_without_the_others() -> None:
    assert list(dict(documents(Planted({PAGE: "# A page\n"})))) == [PAGE]
