"""Promises in prose: those without a clause, those that nobody confirmed, and needless exceptions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contractdocs._lone_page import PAGE, lone
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs import _review
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.text_promises import PROMISE

LINK = "[`result-is-last`](../contract/streaming.md#result-is-last)"
FT32_REMEDY = (
    "cite the clause, by a link to it or its id as code; or reword; or put <!-- not-a-promise: reason -->"
    " right behind the sentence"
)
FT3C_REMEDY = "read the sentence beside the clause; then python -m tools.contractdocs review"


def page(text: str, project: Project | None = None) -> Project:
    return lone(text) if project is None else project.with_file(PAGE, f"# A page\n\n{text}\n")


def reviewed(project: Project) -> Project:
    return replace(project, files={**project.files, **_review.review(project)})


@pytest.mark.parametrize("code", ["FT32", "FT3C", "FT3D"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestStrayPromise:
    def test_in_a_sentence(self) -> None:
        assert planted("FT32", page("Some prose. The stream never\nstops early. More.")) == [
            f'{PAGE}:3 FT32 stray-promise: "never" promises something outside the contract:'
            f' "The stream never stops early." -> {FT32_REMEDY}'
        ]

    def test_in_the_description_of_a_page(self) -> None:
        project = lone("").with_file(PAGE, "---\ndescription: What always works.\n---\n\n# A page\n")
        assert planted("FT32", project) == [
            f'{PAGE}:2 FT32 stray-promise: "always" promises something outside the contract:'
            f' "What always works." -> {FT32_REMEDY}'
        ]

    @pytest.mark.parametrize(
        "sentence",
        [
            "A result is guaranteed.",
            "It **always** ends.",
            "The callback must be called.",
            "You cannot lose text.",
            "It is shown exactly once.",
            "It asks at most one time, at most once.",
            "The event is sent only after the text.",
            "Text is shown only when it is prose.",
            "No JSON is shown.",
            "Nothing of it reaches the page.",
            "finalturn ensures that it ends.",
            "It will not be repeated.",
            "Whatever happens, there is a result.",
            "It ends without exception with a result.",
            "Every chunk comes before the result.",
            "The event comes once.",
            "JSON is not shown.",
            "Under no circumstances is it lost.",
            "It works even when the model fails.",
            "The stream will end, come what may.",
            "Every chunk has a call.",
            "All text of it is shown.",
            "It reliably ends.",
        ],
    )
    def test_words_that_promise(self, sentence: str) -> None:
        assert len(planted("FT32", page(sentence))) == 1

    @pytest.mark.parametrize(
        "text",
        [
            f"The result never comes first ({LINK}).",
            "The result never comes first: `result-is-last`.",
            "The result never\ncomes first. <!-- not-a-promise: an example -->\nMore.",
            "| a | b |\n|---|---|\n| never first | `result-is-last` |",
            "```\nIt never ends.\n```",
            "`never` is a word.",
            "<!-- generated: clauses -->\nNever.\n<!-- end -->",
        ],
    )
    def test_cited_marked_generated_or_code(self, text: str) -> None:
        assert planted("FT32", page(text)) == []

    def test_the_clause_must_be_cited_in_the_sentence(self) -> None:
        assert len(planted("FT32", page(f"See {LINK}. It never fails."))) == 1

    def test_the_changelog_tells_of_changes_and_promises_nothing(self) -> None:
        text = "# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- It never fails.\n"
        assert planted("FT32", lone("").with_file("CHANGELOG.md", text)) == []
        assert len(planted("FT32", lone("").with_file("README.md", text))) == 1

    def test_each_word_is_found_alone(self) -> None:
        assert PROMISE.search("evermore, mustard, shallow") is None


class TestNeedlessAllowance:
    def test_where_nothing_is_promised(self) -> None:
        assert planted("FT3D", page("It ends. <!-- not-a-promise: an example -->")) == [
            f'{PAGE}:3 FT3D needless-allowance: nothing in the sentence before it promises: "It ends."'
            " -> delete the comment"
        ]

    def test_without_a_reason(self) -> None:
        assert planted("FT3D", page("It never ends. <!-- not-a-promise -->")) == [
            f"{PAGE}:3 FT3D needless-allowance: <!-- not-a-promise --> gives no reason"
            " -> write <!-- not-a-promise: reason -->"
        ]

    def test_beside_a_clause(self) -> None:
        text = "It never ends: `result-is-last`. <!-- not-a-promise: an example -->"
        assert planted("FT3D", page(text)) == [
            f"{PAGE}:3 FT3D needless-allowance: the sentence cites result-is-last, and says that it is not a"
            " promise -> delete one of the two"
        ]

    def test_behind_no_sentence(self) -> None:
        assert planted("FT3D", page("It never ends.\n\n<!-- not-a-promise: an example -->")) == [
            f"{PAGE}:5 FT3D needless-allowance: <!-- not-a-promise --> stands behind no sentence"
            " -> put it right behind the sentence, or delete it"
        ]

    def test_in_the_changelog(self) -> None:
        text = "# Changelog\n\n## [Unreleased]\n\n- It never ends. <!-- not-a-promise: an example -->\n"
        assert planted("FT3D", lone("").with_file("CHANGELOG.md", text)) == [
            "CHANGELOG.md:5 FT3D needless-allowance: a changelog promises nothing -> delete the comment"
        ]


class TestUnreviewed:
    def test_a_new_sentence(self) -> None:
        assert planted("FT3C", page(f"The result comes last ({LINK}).", reviewed(lone("")))) == [
            f'{PAGE}:3 FT3C unreviewed-promise: nobody has confirmed "The result comes last ({LINK})." beside'
            f" result-is-last -> {FT3C_REMEDY}"
        ]

    def test_a_sentence_that_changed(self) -> None:
        project = reviewed(page("The result comes last: `result-is-last`."))
        assert planted("FT3C", project) == []
        assert planted("FT3C", page("The result comes first: `result-is-last`.", project)) == [
            f'{PAGE}:3 FT3C unreviewed-promise: nobody has confirmed "The result comes first:'
            ' `result-is-last`."'
            f' beside result-is-last; it was "The result comes last: `result-is-last`." -> {FT3C_REMEDY}'
        ]

    def test_other_line_breaks_change_nothing(self) -> None:
        project = reviewed(page("The result comes last: `result-is-last`."))
        assert planted("FT3C", page("The result\n  comes last:\n`result-is-last`.", project)) == []

    def test_a_clause_that_changed(self) -> None:
        project = reviewed(page("The result comes last: `result-is-last`."))
        clause = next(one for one in project.clauses if one.id == "result-is-last")
        changed = project.with_clause(replace(clause, statement="A turn MUST end."))
        assert [line for line in planted("FT3C", changed) if line.startswith(PAGE)] == [
            f"{PAGE}:3 FT3C unreviewed-promise: result-is-last has changed since"
            ' "The result comes last: `result-is-last`." was confirmed; it says: "A turn MUST end."'
            f" -> {FT3C_REMEDY}"
        ]

    def test_what_the_changelog_says_of_a_clause_until_it_is_released(self) -> None:
        text = "# Changelog\n\n## [{}]\n\n### Changed\n\n- `result-is-last` holds.\n"
        for title, lines in (("Unreleased", 1), ("0.1.0", 0)):
            project = reviewed(lone("")).with_file("CHANGELOG.md", text.format(title))
            assert len([line for line in planted("FT3C", project) if line.startswith("CHANGELOG")]) == lines

    def test_a_sentence_that_names_what_a_clause_names(self) -> None:
        assert [
            line for line in planted("FT3C", page("`structured_reuse` comes.")) if line.startswith(PAGE)
        ] == [
            f'{PAGE}:3 FT3C unreviewed-promise: nobody has confirmed "`structured_reuse` comes." beside'
            f" reuse-signalled, single-pass-suppresses-content -> {FT3C_REMEDY}"
        ]

    def test_a_sentence_that_is_marked_as_no_promise(self) -> None:
        project = reviewed(page("It never ends. <!-- not-a-promise: an example -->"))
        changed = page("It always ends. <!-- not-a-promise: an example -->", project)
        assert planted("FT3C", changed) == [
            f'{PAGE}:3 FT3C unreviewed-promise: nobody has confirmed "It always ends." beside what it'
            " says is no"
            f' promise; it was "It never ends." -> {FT3C_REMEDY}'
        ]

    def test_a_sentence_that_is_gone(self) -> None:
        project = reviewed(page("The result comes last: `result-is-last`.")).with_file(PAGE, None)
        line = project.line_of(_review.FILE, "The result comes last: `result")
        assert planted("FT3C", project) == [
            f'{_review.FILE}:{line} FT3C unreviewed-promise: {PAGE} no longer has the sentence "The'
            " result comes"
            ' last: `result-is-last`.", or it speaks of no clause now'
            f" -> {FT3C_REMEDY}"
        ]
