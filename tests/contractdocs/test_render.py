"""What is generated, as a whole: it follows the code, and harmless changes leave it as it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from finalturn import ToolFailure
from finalturn._serve.formats.schemas_records import NativeRecord
from finalturn.contract import HELD_JSON
from tests.contractdocs._plant import PROJECT, Planted
from tools.contractdocs.render import native_records, obsolete, render
from tools.contractdocs.render.blocks import BLOCKS, filled
from tools.contractdocs.render.native_records import failures, records
from tools.contractdocs.render.page import TEMPLATES
from tools.contractdocs.render.values import VALUES


@cache
def rendered() -> dict[str, str]:
    return render(PROJECT)


@cache
def fresh() -> Planted:
    """The repository as it is after a run of ``make docs``."""
    return PROJECT.with_files(rendered())


def changed(project: Planted) -> set[str]:
    """The files that are rendered in another way than those of the repository."""
    found, before = render(project), rendered()
    return {name for name in found.keys() | before.keys() if found.get(name) != before.get(name)}


def test_rendering_again_changes_nothing_in_whatever_order_the_files_come() -> None:
    project = replace(fresh(), files=dict(reversed(list(fresh().files.items())))).sharing(fresh())
    before = dict(project.files)
    assert changed(project) == set()
    assert project.files == before
    assert obsolete(project.with_file("docs/contract/old.md", "old")) == ["docs/contract/old.md"]


def test_harmless_changes_of_code_change_no_page_and_a_longer_docstring_changes_what_shows_it() -> None:
    guards, result = "src/finalturn/_core/turn/guards.py", "src/finalturn/_core/result.py"
    head, *functions = re.split(r"(?=^def )", fresh().files[guards], flags=re.MULTILINE)
    assert len(functions) > 10
    project = fresh().with_file(guards, head + "".join(reversed(functions)))
    for file, old, new in [
        (guards, "def is_valid(", "def _private() -> None: ...\n\n\ndef is_valid("),
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
            "import annotations\n\n\ndef _x() -> None: ...\n",
        ),
        (result, '"""The terminal result of a turn.\n', '"""The terminal result of a turn. Read it.\n'),
    ]:
        project = project.edited(file, old, new)
    assert changed(project) - {"src/finalturn/_core/protocols.py"} == {"docs/llms-full.txt", result}


def test_clauses_rules_and_proofs_are_shown_in_their_pages_and_docstrings() -> None:
    table = tuple(
        replace(rule, shows=(*rule.shows, *rule.shows)) if rule.name == "reuse-shown" else rule
        for rule in PROJECT.table
    )
    clause = replace(HELD_JSON, statement="JSON MUST NOT be seen.")
    project = replace(fresh().with_clause(clause), table=table).sharing(fresh())
    project = project.edited(
        "tests/contract/test_streaming.py",
        "@proves(SYNTHESIS_NEVER_STREAMS)\ndef test_",
        "@proves(HELD_JSON)\ndef test_other_",
    )
    assert changed(project) == {
        "AGENT.md",
        "docs/contract.json",
        "docs/contract/index.md",
        "docs/contract/machine.md",
        "docs/contract/streaming.md",
        "docs/llms-full.txt",
        "src/finalturn/_agent/config.py",
    }
    found = json.loads(render(project)["docs/contract.json"])
    tests = next(one["tests"] for one in found["clauses"] if one["id"] == "held-json")
    assert [test for test in tests if test["name"].startswith("test_other_")]


class TestBlocksAndValues:
    def test_a_value_stands_in_its_sentence_and_a_block_between_its_markers(self) -> None:
        text = (
            "Up to <!-- value: parallel-tools -->2<!-- end -->, <!-- value: python --><!-- end --> or\n"
            "<!-- generated: clauses -->\nold\n<!-- end -->\nafter <!-- end -->"
        )
        expected = (
            "Up to <!-- value: parallel-tools -->16<!-- end -->, <!-- value: python -->3.11<!-- end --> or\n"
            f"<!-- generated: clauses -->\n\n{BLOCKS['clauses'](PROJECT)}\n\n<!-- end -->\n"
            "after <!-- end -->"
        )
        assert filled(text, PROJECT) == expected
        assert filled(expected, PROJECT) == expected

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
    def test_what_is_unknown_open_or_shown_as_code_stays(self, text: str) -> None:
        assert filled(text, PROJECT) == text

    def test_every_value_is_one_line_and_every_block_says_something(self) -> None:
        values = [value(PROJECT) for value in VALUES.values()]
        assert all(value.strip() == value and value and "\n" not in value for value in values)
        assert all(block(PROJECT).strip() for block in BLOCKS.values())

    @pytest.mark.parametrize(
        ("name", "file", "old", "new", "expected"),
        [
            ("parallel-tools", "src/finalturn/_tools/run.py", "_TIME = 16", "_TIME = 8", "8"),
            ("tool-timeout", "src/finalturn/_tools/tool.py", "TIMEOUT = 60.0", "TIMEOUT = 0.5", "0.5"),
            ("python", "pyproject.toml", 'python = ">=3.11"', 'python = ">=3.12"', "3.12"),
        ],
    )
    def test_values_follow_the_code(self, name: str, file: str, old: str, new: str, expected: str) -> None:
        assert VALUES[name](PROJECT.edited(file, old, new)) == expected

    def test_values_of_public_names(self) -> None:
        assert VALUES["max-retries"](PROJECT) == "2"
        assert VALUES["denial-kinds"](PROJECT) == '`"policy"`, `"approval"` or `"coherence"`'

    def test_a_block_that_holds_code_is_written_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        shown = ["```json\n1\n```"]
        monkeypatch.setitem(BLOCKS, "sample", lambda project: shown[0])
        block = "<!-- generated: sample -->\n\n<!-- end -->\n\n"
        once = filled(f"{block}```\n<!-- generated: sample -->\n<!-- end -->\n```\n", PROJECT)
        assert once.startswith("<!-- generated: sample -->\n\n```json\n1\n```\n\n<!-- end -->\n\n```\n<!--")
        shown[0] = "```json\n2\n```"
        assert filled(once, PROJECT) == once.replace("1", "2")


class TestRecords:
    """The records and the texts of failures that the guide to the native stream shows."""

    def shown(self) -> dict[str, Any]:
        """The records, by their type, without their comments."""
        found = re.findall(r"^### `(\w+)`\n.*?^```jsonc\n(.*?)^```$", records(), re.DOTALL | re.MULTILINE)
        return {kind: json.loads(re.sub(r"^ *//.*$", "", text, flags=re.MULTILINE)) for kind, text in found}

    def test_each_is_there_as_it_is_sent_with_what_is_said_of_its_fields(self) -> None:
        shown = self.shown()
        before_the_end = (
            "run",
            "reasoning",
            "chunk",
            "tool_call",
            "tool_result",
            "activity",
            "event",
            "partial",
        )
        assert tuple(shown) == (*before_the_end, "result", "error")
        adapter: TypeAdapter[Any] = TypeAdapter(NativeRecord)
        schema = adapter.json_schema()
        words = " ".join(re.sub(r"\n *// ", " ", records()).split())
        for kind, ref in schema["discriminator"]["mapping"].items():
            fields = schema["$defs"][ref.rpartition("/")[2]]["properties"]
            assert adapter.validate_python(shown[kind]) == shown[kind]
            assert set(shown[kind]) == set(fields) and shown[kind]["type"] == kind
            assert all(field.get("description", "") in words for field in fields.values())
        assert shown["run"]["run_id"] == shown["result"]["run_id"]

    @pytest.mark.parametrize(
        ("old", "new"),
        [('"type": "chunk"', '"type": "chunks"'), ('"call": 0', '"calls": 0'), (",", ', "more": 0,')],
    )
    def test_a_sample_that_the_schema_does_not_have_is_refused(
        self, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = (TEMPLATES / "native_records.json").read_text("utf-8")
        (tmp_path / "native_records.json").write_text(text.replace(old, new, 1), "utf-8")
        monkeypatch.setattr(native_records, "TEMPLATES", tmp_path)
        with pytest.raises(ValueError, match=r"chunk|call|more|it does not have"):
            records.__wrapped__()

    def test_each_failure_has_both_texts(self) -> None:
        rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in failures().splitlines()[2:]]
        assert [row[0] for row in rows] == [f"`{kind}`" for kind in get_args(ToolFailure)]
        assert {row[0] for row in rows if row[1] == row[2]} == {"`tool_error`"}
        inside, outside = next((row[1], row[2]) for row in rows if row[0] == "`error`")
        assert "db-1.internal" in inside
        assert "db-1.internal" not in "".join(row[2] for row in rows)
        assert outside == "the tool failed"
