"""Generated blocks and values in files that people write."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT
from tools.contractdocs.render.blocks import BLOCKS, filled, unknown_markers
from tools.contractdocs.render.values import VALUES


def test_a_value_stands_in_its_sentence() -> None:
    text = "Up to <!-- value: parallel-tools -->2<!-- end -->, <!-- value: python --><!-- end --> or newer."
    assert filled("README.md", text, PROJECT) == (
        "Up to <!-- value: parallel-tools -->16<!-- end -->, <!-- value: python -->3.11<!-- end --> or newer."
    )


def test_a_block_stands_between_its_markers() -> None:
    text = "<!-- generated: clauses -->\nold\n<!-- end -->\nafter <!-- end -->"
    expected = (
        f"<!-- generated: clauses -->\n\n{BLOCKS['clauses'](PROJECT)}\n\n<!-- end -->\nafter <!-- end -->"
    )
    assert filled("README.md", text, PROJECT) == expected
    assert filled("README.md", expected, PROJECT) == expected


def test_a_block_of_mkdocs_is_indented_as_it_is() -> None:
    text = "nav:\n  - A:\n      # generated: nav-reference\n      - old: x.md\n      # end\n  - B: b.md\n"
    found = filled("mkdocs.yml", text, PROJECT)
    assert "      # generated: nav-reference\n      - finalturn: reference/finalturn.md\n" in found
    assert found.endswith("      # end\n  - B: b.md\n")
    assert "old" not in found
    assert filled("mkdocs.yml", found, PROJECT) == found


@pytest.mark.parametrize(
    "text",
    [
        "<!-- value: nothing -->x<!-- end -->",
        "<!-- generated: nothing -->\nx\n<!-- end -->",
        "<!-- value: clauses -->x",
        "<!-- generated: clauses -->\nx\n<!-- value: nothing -->y<!-- end -->",
        "```\n<!-- value: clauses -->x<!-- end -->\n```",
    ],
)
def test_what_is_unknown_open_or_shown_as_code_stays(text: str) -> None:
    assert filled("README.md", text, PROJECT) == text


def test_an_open_block_does_not_swallow_the_next() -> None:
    text = "<!-- value: clauses -->x\n<!-- value: python -->y<!-- end -->"
    assert (
        filled("README.md", text, PROJECT)
        == "<!-- value: clauses -->x\n<!-- value: python -->3.11<!-- end -->"
    )


def test_unknown_names_are_found() -> None:
    project = PROJECT.with_file(
        "README.md", "a\n<!-- value: claused -->1<!-- end -->\n```\n<!-- value: x -->\n```\n"
    )
    assert [one for one in unknown_markers(project) if one[0] == "README.md"] == [
        ("README.md", 2, "has no block or value 'claused'")
    ]


def test_every_block_says_something() -> None:
    assert [name for name, block in BLOCKS.items() if not block(PROJECT).strip()] == []


def test_every_value_is_one_line() -> None:
    values = {name: value(PROJECT) for name, value in VALUES.items()}
    assert all(value.strip() == value and value and "\n" not in value for value in values.values())


@pytest.mark.parametrize(
    ("name", "file", "old", "new", "expected"),
    [
        ("parallel-tools", "src/finalturn/_tools/run.py", "MOST_AT_A_TIME = 16", "MOST_AT_A_TIME = 8", "8"),
        (
            "tool-timeout",
            "src/finalturn/_tools/tool.py",
            "DEFAULT_TIMEOUT = 60.0",
            "DEFAULT_TIMEOUT = 0.5",
            "0.5",
        ),
        ("python", "pyproject.toml", 'requires-python = ">=3.11"', 'requires-python = ">=3.12"', "3.12"),
        (
            "max-retries",
            "src/finalturn/_agent/config.py",
            "max_validation_retries: int = 2",
            "max_validation_retries: int = 3",
            "3",
        ),
        (
            "max-iterations",
            "src/finalturn/_agent/agent.py",
            "max_iterations: int = 10",
            "max_iterations: int = 9",
            "9",
        ),
        (
            "events",
            "src/finalturn/_core/chunks.py",
            '= "structured_reuse"',
            '= "reuse"',
            "`structured_synthesis_start` and `reuse`",
        ),
        (
            "stop-reasons",
            "src/finalturn/_core/result.py",
            'Literal["completed", "iteration_limit", "terminal_tool", "truncated", "refused"]',
            'Literal["completed", "cut"]',
            '`"completed"` or `"cut"`',
        ),
    ],
)
def test_values_follow_the_code(name: str, file: str, old: str, new: str, expected: str) -> None:
    text = PROJECT.files[file]
    assert old in text
    assert VALUES[name](PROJECT.with_file(file, text.replace(old, new))) == expected


def test_a_block_that_holds_code_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = ["```json\n1\n```"]
    monkeypatch.setitem(BLOCKS, "sample", lambda project: shown[0])
    text = (
        "<!-- generated: sample -->\n\n<!-- end -->\n\n```\n<!-- generated: sample -->\n<!-- end -->\n```\n"
    )
    once = filled("README.md", text, PROJECT)
    assert once.startswith("<!-- generated: sample -->\n\n```json\n1\n```\n\n<!-- end -->\n\n```\n<!--")
    shown[0] = "```json\n2\n```"
    assert filled("README.md", once, PROJECT) == once.replace("1", "2")
