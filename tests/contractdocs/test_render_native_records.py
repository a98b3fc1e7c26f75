"""The records and the texts of failures that the guide to the native stream shows."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

from pydantic import TypeAdapter

from finalturn import ToolFailure
from finalturn._serve.formats.schemas_records import NativeRecord
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.render.blocks import filled
from tools.contractdocs.render.native_records import RUN_ID, failures, records

KINDS = ("run", "reasoning", "chunk", "tool_call", "tool_result", "event", "result", "error")


def shown() -> dict[str, Any]:
    """The records, by their type, without their comments."""
    found = re.findall(r"^### `(\w+)`\n.*?^```jsonc\n(.*?)^```$", records(), re.DOTALL | re.MULTILINE)
    return {kind: json.loads(re.sub(r"^ *//.*$", "", text, flags=re.MULTILINE)) for kind, text in found}


def test_each_kind_is_there_once_in_the_order_of_a_turn() -> None:
    assert tuple(shown()) == KINDS


def test_each_is_a_record_as_it_is_sent() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(NativeRecord)
    for kind, record in shown().items():
        assert record["type"] == kind
        assert adapter.validate_python(record) == record


def test_each_field_is_there_with_what_is_said_of_it() -> None:
    schema = TypeAdapter(NativeRecord).json_schema()
    words = " ".join(re.sub(r"\n *// ", " ", records()).split())
    for kind, ref in schema["discriminator"]["mapping"].items():
        fields = schema["$defs"][ref.rpartition("/")[2]]["properties"]
        assert set(shown()[kind]) == set(fields), kind
        for field in fields.values():
            assert field.get("description", "") in words


def test_what_chance_makes_is_always_the_same() -> None:
    assert shown()["run"]["run_id"] == shown()["result"]["run_id"] == RUN_ID


def test_each_failure_has_both_texts() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in failures().splitlines()[2:]]
    assert [row[0] for row in rows] == [f"`{kind}`" for kind in get_args(ToolFailure)]
    assert {row[0] for row in rows if row[1] == row[2]} == {"`tool_error`"}
    inside, outside = next((row[1], row[2]) for row in rows if row[0] == "`error`")
    assert "db-1.internal" in inside
    assert "db-1.internal" not in "".join(row[2] for row in rows)
    assert outside == "the tool failed"


def test_the_guide_shows_them() -> None:
    file = "docs/guides/native-stream.md"
    text = filled(file, PROJECT.files[file], PROJECT)
    assert records() in text
    assert failures() in text
    assert filled(file, text, PROJECT) == text
