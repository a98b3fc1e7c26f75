"""What is read out of a Markdown document."""

from __future__ import annotations

import pytest

from tools.contractdocs._markdown import read
from tools.contractdocs._markdown_anchors import anchors, forge_anchors, site_slug
from tools.contractdocs._markdown_changelog import read_changelog
from tools.contractdocs._markdown_documents import is_generated
from tools.contractdocs._markdown_prose import sentences


def said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(read(text))]


class TestDocument:
    TEXT = (
        "---\ndescription: What it is.\n---\n\n# Title {#top}\n\nSee [a `b`](c.md#d), ![e](f.svg) and"
        " `g`.\n\n"
        "```python x=1\nprint(1)\n```\n\n<!-- generated: clauses -->\n`h` [i](j.md)\n<!-- end -->\n"
        "Up to <!-- value: max -->16<!-- end --> of <https://example.com>. <!-- note -->\n"
    )

    def test_front_matter(self) -> None:
        assert read(self.TEXT).front["description"].text == "What it is."

    def test_headings(self) -> None:
        [heading] = read(self.TEXT).headings
        assert (heading.text, heading.level, heading.anchor, heading.line) == ("Title", 1, "top", 5)

    def test_links(self) -> None:
        links = [(link.text, link.line, link.image) for link in read(self.TEXT).links]
        assert links == [("c.md#d", 7, False), ("f.svg", 7, True), ("https://example.com", 16, False)]

    def test_code(self) -> None:
        document = read(self.TEXT)
        assert [(span.text, span.line) for span in document.spans] == [("b", 7), ("g", 7)]
        [fence] = document.fences
        assert (fence.language, fence.line, fence.text) == ("python", 9, "print(1)\n")

    def test_markers_and_comments(self) -> None:
        document = read(self.TEXT)
        found = [(one.what, one.text, one.closed, one.line) for one in document.markers]
        assert found == [("generated", "clauses", True, 13), ("value", "max", True, 16)]
        assert [comment.text for comment in document.comments] == ["note"]

    def test_the_mask_keeps_every_offset(self) -> None:
        document = read(self.TEXT)
        assert len(document.masked) == len(self.TEXT)
        assert document.masked.count("\n") == self.TEXT.count("\n")

    @pytest.mark.parametrize(
        "text",
        [
            "~~~~\n```\nnot closed by it\n~~~~\n",
            "   ```\n   a\n   ```\n",
            "```\nnever closed\n",
            "````\n```\n````\n",
        ],
    )
    def test_fences_hide_what_is_in_them(self, text: str) -> None:
        assert read(text).masked.strip() == ""

    def test_references(self) -> None:
        text = "See [a][one], [two][] and [three][gone].\n\n[one]: a.md\n[two]: b.md\n"
        assert [link.text for link in read(text).links] == ["a.md", "b.md", "[gone]"]

    def test_what_is_escaped_is_no_link(self) -> None:
        assert read(r"\[a](b.md)").links == ()


class TestSentences:
    def test_of_a_paragraph(self) -> None:
        assert said("One sentence\nover lines. Another, e.g. this, i.e. That! `code` starts one.\n") == [
            "One sentence over lines.",
            "Another, e.g. this, i.e. That!",
            "`code` starts one.",
        ]

    def test_of_lists_tables_quotes_and_headings(self) -> None:
        text = (
            "## A heading\n- one\n  more\n- two. Three\n\n1. four\n\n> five\n> more\n\n"
            '| a | b |\n|---|---|\n| c. D | e |\n\n!!! note "Six"\n    seven\n'
        )
        assert said(text) == [
            "A heading",
            "one more",
            "two.",
            "Three",
            "four",
            "five > more",
            "a | b",
            "c. D | e",
            '"Six"',
            "seven",
        ]

    def test_dots_in_code_end_nothing(self) -> None:
        assert said("The `a. B` and [c](e. F.md) stay.") == ["The `a. B` and [c](e. F.md) stay."]

    def test_a_value_is_its_name(self) -> None:
        [sentence] = sentences(read("Up to <!-- value: max -->16<!-- end --> tools."))
        assert (sentence.text, sentence.plain) == ("Up to {max} tools.", "Up to tools.")

    def test_an_allowance_belongs_to_the_sentence_before_it(self) -> None:
        text = "One never.\n<!-- not-a-promise: a reason -->\nTwo never. Three. <!-- not-a-promise: b -->\n"
        assert [(one.text, one.allowance, one.allowance_line) for one in sentences(read(text))] == [
            ("One never.", "a reason", 2),
            ("Two never.", "", 0),
            ("Three.", "b", 3),
        ]

    def test_what_belongs_to_it(self) -> None:
        one, two = sentences(read("See `a` and [b](c.md). Then `d`."))
        assert ([span.text for span in one.spans], [link.text for link in one.links]) == (["a"], ["c.md"])
        assert ([span.text for span in two.spans], two.links) == (["d"], ())


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Hold the JSON back", "hold-the-json-back"),
        ("`should_finalize`, and more", "should_finalize-and-more"),
        ("A [link](b.md) -- c", "a-link-c"),
        ("Über", "uber"),
    ],
)
def test_slugs(title: str, slug: str) -> None:
    assert site_slug(title) == slug


def test_anchors() -> None:
    text = '# A\n\n## A\n\n## B {#own}\n\n<a id="c"></a>\n\n::: finalturn.Agent\n'
    assert anchors(text) == {"a", "a_1", "own", "c", "finalturn.Agent"}
    assert forge_anchors("# A B -- c\n# A B -- c\n") == {"a-b----c", "a-b----c-1"}


def test_the_anchors_of_a_generated_block() -> None:
    assert "in-it" in anchors("<!-- generated: clauses -->\n\n## In it\n\n<!-- end -->\n")


def test_a_changelog() -> None:
    text = (
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One\n  more.\n- Two.\n\n### Fixed\n\n- Three.\n\n"
        "## [0.1.0] - 2026-01-31\n\n### Added\n\n- Four.\n"
    )
    log = read_changelog(text)
    assert log.unreleased is not None
    assert {
        sort: [(one.line, one.text) for one in found] for sort, found in log.unreleased.entries.items()
    } == {
        "Added": [(7, "One more."), (9, "Two.")],
        "Fixed": [(13, "Three.")],
    }
    [released] = log.released
    assert (released.version, released.date, released.line) == ("0.1.0", "2026-01-31", 15)


def test_generated_files() -> None:
    assert is_generated("docs/contract/index.md", "")
    assert is_generated("docs/x.md", "---\na: b\n---\n\n<!-- Generated from the code. -->\n")
    assert not is_generated("docs/x.md", "# A\n\n<!-- generated: clauses -->\n")
