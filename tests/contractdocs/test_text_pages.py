"""Pages, links, commands, numbers and lists in documents."""

from __future__ import annotations

import tomllib

import pytest

from tests.contractdocs._lone_page import PAGE, lone, on_page
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.text_numbers import FILE as NUMBERS
from tools.contractdocs.kinds.text_numbers import numbers_in


@pytest.mark.parametrize("code", ["FT34", "FT35", "FT36", "FT37", "FT3A", "FT3B", "FT3F"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestNavigation:
    def test_a_page_outside_of_it(self) -> None:
        project = PROJECT.with_file("docs/guides/lost.md", "# Lost\n")
        assert planted("FT36", project) == [
            "docs/guides/lost.md:1 FT36 missing-page: the page is not in the navigation of mkdocs.yml"
            " -> add it to nav, or delete it"
        ]

    def test_a_line_that_was_taken_out(self) -> None:
        line = next(one for one in PROJECT.files["mkdocs.yml"].split("\n") if "guides/testing.md" in one)
        assert planted("FT36", PROJECT.edited("mkdocs.yml", f"{line}\n", "")) == [
            "docs/guides/testing.md:1 FT36 missing-page: the page is not in the navigation of mkdocs.yml"
            " -> add it to nav, or delete it"
        ]

    def test_an_entry_without_a_page(self) -> None:
        line = PROJECT.line_of("mkdocs.yml", "guides/testing.md")
        assert planted("FT36", PROJECT.with_file("docs/guides/testing.md", None)) == [
            f"mkdocs.yml:{line} FT36 missing-page: the navigation names guides/testing.md, which is not"
            " in docs"
            " -> write the page, or take the line out"
        ]

    def test_an_entry_that_stands_twice(self) -> None:
        line = next(one for one in PROJECT.files["mkdocs.yml"].split("\n") if "guides/testing.md" in one)
        number = PROJECT.line_of("mkdocs.yml", "guides/testing.md")
        assert planted("FT36", PROJECT.edited("mkdocs.yml", line, f"{line}\n{line}")) == [
            f"mkdocs.yml:{number + 1} FT36 missing-page: the navigation names guides/testing.md twice; line"
            f" {number} does too -> leave one"
        ]

    def test_a_line_that_is_not_understood(self) -> None:
        number = PROJECT.line_of("mkdocs.yml", "guides/testing.md")
        project = PROJECT.edited("mkdocs.yml", "guides/testing.md", "[guides/testing.md]")
        [found] = planted("FT36", project)
        assert found.startswith(
            f"mkdocs.yml:{number} FT36 missing-page: the navigation cannot be read: it is not"
        )


class TestForm:
    def test_a_page_without_a_description(self) -> None:
        assert on_page("FT37", "Text.") == [
            "1 FT37 page-form: it has no description -> begin it with front matter: description: one sentence"
        ]

    def test_a_page_with_the_description_of_another(self) -> None:
        page = "---\ndescription: To show it.\n---\n\n# A page\n"
        project = lone("").with_file(PAGE, page).with_file("docs/guides/other.md", page)
        assert planted("FT37", project) == [
            f"docs/guides/other.md:2 FT37 page-form: its description is that of {PAGE} -> say what this"
            " page is for"
        ]

    @pytest.mark.parametrize(
        ("body", "found"),
        [
            ("Text.\n", "1 FT37 page-form: it has no heading of level 1 -> begin it with # and its title"),
            ("# A\n\n# B\n", '7 FT37 page-form: "B" is its second heading of level 1 -> make it level 2'),
        ],
    )
    def test_headings(self, body: str, found: str) -> None:
        project = lone("").with_file(PAGE, f"---\ndescription: To show it.\n---\n\n{body}")
        assert planted("FT37", project) == [f"{PAGE}:{found}"]

    def test_a_heading_in_a_fence_is_none(self) -> None:
        text = "---\ndescription: To show it.\n---\n\n# A\n\n```\n# B\n```\n"
        assert planted("FT37", lone("").with_file(PAGE, text)) == []


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "found"),
        [
            (
                "[a](gone.md)",
                "it links to gone.md; there is no docs/guides/gone.md -> did you mean"
                " docs/guides/planted.md?",
            ),
            (
                "[a](#nothing)",
                "it links to #nothing; docs/guides/planted.md has no anchor nothing -> mend it, or take"
                " it out",
            ),
            (
                "[a](planted.md#a-pag)",
                "it links to planted.md#a-pag; docs/guides/planted.md has no anchor a-pag -> did you"
                " mean #a-page?",
            ),
            ("![a](gone.svg)", "it links to gone.svg; there is no docs/guides/gone.svg"),
            (
                "[a](/planted.md)",
                "it links to /planted.md; an absolute path depends on where the site is -> write it"
                " relative to this file",
            ),
            (
                "[a](../../README.md)",
                "it links to ../../README.md; README.md is not on the site -> link to a page in docs",
            ),
            ("[a](https://example)", "it links to https://example; no such address can be -> write it out"),
            (
                "[a](ftp://example.com/)",
                "it links to ftp://example.com/; ftp is no way to link -> use http, https or a relative path",
            ),
            (
                "[a][there]",
                "it links to [there]; there is no such reference -> define it, or write the target in"
                " parentheses",
            ),
        ],
    )
    def test_dead_ones(self, link: str, found: str) -> None:
        [line] = on_page("FT3A", f"Text, {link}.")
        assert line.startswith(f"3 FT3A dead-link: {found}")

    @pytest.mark.parametrize(
        "text",
        [
            "[a](planted.md)",
            "[a](planted.md#a-page)",
            "[a](#the-tools)\n\n## The `tools`",
            "[a](#here)\n\n## There {#here}",
            "[a](#b_1)\n\n## B\n\n## B",
            "[a](https://example.com/a#b)",
            "[a](http://localhost:8000)",
            "[a](mailto:someone@example.com)",
            "[a][there]\n\n[there]: planted.md",
            "`[a](gone.md)`",
            "```\n[a](gone.md)\n```",
        ],
    )
    def test_good_ones(self, text: str) -> None:
        assert on_page("FT3A", text) == []

    def test_a_page_that_was_renamed(self) -> None:
        text = PROJECT.files["docs/guides/testing.md"]
        project = PROJECT.with_file("docs/guides/testing.md", None).with_file("docs/guides/tests.md", text)
        assert any(
            "README.md" in line and "did you mean docs/guides/tests.md?" in line
            for line in planted("FT3A", project)
        )

    def test_a_clause_that_was_renamed(self) -> None:
        page = "docs/contract/streaming.md"
        project = PROJECT.with_file(page, PROJECT.files[page].replace("result-is-last", "result-is-final"))
        project = project.with_file(PAGE, "# A page\n\n[a](../contract/streaming.md#result-is-last)\n")
        assert [line for line in planted("FT3A", project) if line.startswith(PAGE)] == [
            f"{PAGE}:3 FT3A dead-link: it links to ../contract/streaming.md#result-is-last; {page} has"
            " no anchor"
            " result-is-last -> did you mean #result-is-final?"
        ]


class TestCommands:
    @pytest.mark.parametrize(
        ("command", "found"),
        [
            ("make tests", "the Makefile has no target tests -> did you mean test?"),
            ("finalturn chats", "finalturn has no command chats -> did you mean chat?"),
            ("finalturn chat --modell x", "finalturn chat has no option --modell -> did you mean --model?"),
            ("pip install 'finalturn[clii]'", "finalturn has no extra clii -> did you mean cli?"),
            ("pip install finalturn==9.9.9", None),
            ("python -m tools.benches", "there is no module tools.benches to run -> mend the name"),
            ("pip install 'finalturn[cli]", "the shell cannot read it -> close the quotes"),
        ],
    )
    def test_dead_ones(self, command: str, found: str | None) -> None:
        this = tomllib.loads(PROJECT.files["pyproject.toml"])["project"]["version"]
        said = found or f"it names version 9.9.9; this is {this} -> name this version, or none"
        assert on_page("FT35", f"```console\n$ {command}\n```") == [
            f'4 FT35 dead-command: "{command}" does not work: {said}'
        ]

    def test_in_a_sentence(self) -> None:
        assert on_page("FT35", "Run `make tests`.") == [
            '3 FT35 dead-command: "make tests" does not work: the Makefile has no target tests'
            " -> did you mean test?"
        ]

    @pytest.mark.parametrize(
        "command",
        [
            "make test docs",
            "finalturn --version",
            "finalturn chat --model qwen3:8b --schema tickets:Ticket 'Hello there'",
            "finalturn demo --no-model # a comment",
            "pip install finalturn 'finalturn[cli,sql]'",
            "python -m tools.contractdocs review",
            "make demo | cat",
        ],
    )
    def test_good_ones(self, command: str) -> None:
        assert on_page("FT35", f"```\n{command}\n```") == []


class TestNumbers:
    def test_a_number_in_a_sentence(self) -> None:
        assert on_page("FT3B", "There are 17 clauses\nand five surfaces.") == [
            '3 FT3B counted-prose: "17", "five" is written by hand: "There are 17 clauses and five surfaces."'
            " -> show it with <!-- value: NAME --><!-- end -->, leave it out, or list the sentence with"
            " a reason"
            f" in {NUMBERS}"
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "There are <!-- value: clauses -->17<!-- end --> clauses.",
            "It is `17` or [there](planted.md#17).",
            "1. First.\n2. Second.",
            "One of them, at once, in UTF-8.",
            "```\n17\n```",
            "<!-- 17 -->",
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
            ("10ms and 2x", ["10", "2"]),
            ("someone often used it", []),
        ],
    )
    def test_what_is_a_number(self, text: str, numbers: list[str]) -> None:
        assert numbers_in(text) == numbers

    def allowed(self, text: str, entry: str) -> Project:
        return lone(text).with_file(NUMBERS, f'[[number]]\nfile = "{PAGE}"\n{entry}\n')

    def test_a_sentence_that_is_listed(self) -> None:
        project = self.allowed("It has two ends.", 'sentence = "It has two ends."\nreason = "always"')
        assert planted("FT3B", project) == [] == planted("FT3F", project)
        assert len(planted("FT3B", project.edited(PAGE, "two", "three"))) == 1

    def test_the_changelog_tells_of_changes_and_needs_no_entry(self) -> None:
        text = "# Changelog\n\n## [Unreleased]\n\n- It has two ends.\n"
        project = self.allowed("", 'sentence = "It has two ends."\nreason = "always"')
        assert planted("FT3B", project.with_file("CHANGELOG.md", text)) == []
        assert len(planted("FT3B", project.with_file("README.md", text))) == 1
        needless = project.edited(NUMBERS, PAGE, "CHANGELOG.md").with_file("CHANGELOG.md", text)
        assert len(planted("FT3F", needless)) == 1

    def test_an_entry_for_a_sentence_that_is_gone(self) -> None:
        project = self.allowed("It has ends.", 'sentence = "It has two ends."\nreason = "always"')
        assert planted("FT3F", project) == [
            f'{NUMBERS}:3 FT3F stale-number: {PAGE} has no such sentence with a number: "It has two ends."'
            " -> check the sentence, and mend or delete the entry"
        ]

    def test_an_entry_without_a_reason(self) -> None:
        project = self.allowed("It has two ends.", 'sentence = "It has two ends."')
        assert planted("FT3F", project) == [
            f'{NUMBERS}:3 FT3F stale-number: there is no reason for "It has two ends."'
            " -> check the sentence, and mend or delete the entry"
        ]

    def test_an_entry_whose_source_has_changed(self) -> None:
        source = "source = { file = 'Makefile', text = 'two: one' }"
        project = self.allowed(
            "It has two ends.", f'sentence = "It has two ends."\nreason = "always"\n{source}'
        )
        assert planted("FT3F", project) == [
            f"{NUMBERS}:3 FT3F stale-number: \"It has two ends.\" rests on 'two: one', which Makefile"
            " no longer"
            " holds -> check the sentence, and mend or delete the entry"
        ]


class TestLists:
    def test_a_class_that_lacks_a_field(self) -> None:
        fields = ("content: str", "reasoning: str", "usage: Usage | None", "cost: int")
        code = "\n".join(["class ModelResponse:", *(f"    {field}" for field in fields)])
        name = "finalturn.ModelResponse"
        assert on_page("FT34", f"```python\n{code}\n```") == [
            f"4 FT34 hand-copied-type: a list of {name}: finish_reason, switches, tool_calls missing here"
            " -> add it",
            f"4 FT34 hand-copied-type: a list of {name}: it has no cost -> take it out here",
        ]

    def test_a_table(self) -> None:
        rows = "| event | means |\n|---|---|\n| `structured_reuse` | a |\n| `reuse` | b |\n"
        assert on_page("FT34", f"<!-- covers: finalturn.StreamEvent -->\n\n{rows}") == [
            "3 FT34 hand-copied-type: a list of finalturn.StreamEvent: structured_synthesis_start"
            " missing here"
            " -> add it",
            "3 FT34 hand-copied-type: a list of finalturn.StreamEvent: it has no reuse -> take it out here",
        ]

    def test_a_list_that_is_whole(self) -> None:
        items = '- `"policy"`: a\n- `"approval"`: b\n  and more\n- `"coherence"`: c\n'
        assert on_page("FT34", f"<!-- covers: finalturn.DenialKind -->\n{items}\nText `x`.") == []

    def test_a_list_of_nothing(self) -> None:
        assert on_page("FT34", "<!-- covers: finalturn.StreamEvents -->\n\n- `a`\n") == [
            "3 FT34 hand-copied-type: a list of finalturn.StreamEvents: there is nothing of that name to list"
            " -> did you mean finalturn.StreamEvent?"
        ]

    def test_a_marker_without_a_list(self) -> None:
        assert on_page("FT34", "<!-- covers: finalturn.StreamEvent -->\n\nText.\n") == [
            "3 FT34 hand-copied-type: a list of finalturn.StreamEvent: no table or list with code in it"
            " stands"
            " below the marker -> put it right above one"
        ]

    def test_the_commands(self) -> None:
        assert on_page("FT34", "<!-- covers: commands -->\n\n- `finalturn demo`\n- `finalturn sing`\n")[
            -1
        ] == ("3 FT34 hand-copied-type: a list of commands: it has no finalturn sing -> take it out here")
