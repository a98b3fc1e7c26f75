from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.output.fences import fenced_values, unfenced
from finalturn._core.output.kinds import KINDS

OBJECT = frozenset({"object"})
VALUES = st.dictionaries(st.text(max_size=3), st.text(alphabet='`ab\n"\\ json{}', max_size=20), max_size=3)


@given(
    value=VALUES,
    ticks=st.integers(3, 6),
    more=st.integers(0, 2),
    word=st.sampled_from(["", "json", "JSONC", " json x"]),
)
def test_a_fence_around_everything(value: Any, ticks: int, more: int, word: str) -> None:
    text = json.dumps(value)
    fenced = f"{'`' * ticks}{word}\n{text}\n{'`' * (ticks + more)}"
    assert unfenced(fenced) == text
    assert fenced_values(f"Here:\n  {fenced}\nDone.", OBJECT) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"a":1}',
        '``\n{"a":1}\n``',
        '```python\n{"a":1}\n```',
        '```json {"a":1} ```',
        '```json\n{"a":1}',
        '````json\n{"a":1}\n```',
        'Here:\n```json\n{"a":1}\n```',
        '```json\n{"a":1}\n``` done',
        "```json",
    ],
)
def test_no_fence_around_everything(text: str) -> None:
    assert unfenced(text) is None


@pytest.mark.parametrize(
    "text", ['```\n{"a":1}```', '```json\r\n{"a":1}\r\n```', '```json title="x"\n\n {"a":1}\n\n````']
)
def test_fences_as_they_are_written(text: str) -> None:
    assert unfenced(text) == '{"a":1}'
    assert fenced_values(text, OBJECT) == ['{"a":1}']


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('```json\n{"a":"use ```py\\nx```"}\n```', ['{"a":"use ```py\\nx```"}']),
        ('~~~\n{"a":1}\n~~~', []),
        ('```python\n{"a":1}\n```\n```json\n{"a":2}\n```', ['{"a":2}']),
        ('````md\n```json\n{"a":1}\n```\n````\n```\n{"a":2}\n```', ['{"a":2}']),
        ('```json\n{oops}\n```\nSorry:\n```json\n{"a":1}\n```', ['{"a":1}']),
        ('```json\n{"a":1}\n{"a":2}\n```', []),
        ('```json\n{"a":1}', []),
        ('```json\n{"a":1}\n``` and\n', []),
        ('````json\n{"a":1}\n```\n', []),
        ('````json\n{"a":1}\n```\n````\n```\n{"a":2}\n```', ['{"a":2}']),
        ('```json\n[1]\n```\n```json\n{"a":1}\n```', ['{"a":1}']),
        ('```json\n{"a":1}\n```\n```\n{"a":2}\n```', ['{"a":1}', '{"a":2}']),
        ('- item\n    ```json\n    {"a":1}\n    ```', ['{"a":1}']),
        ("```json\n\n```", []),
        ("```json\n", []),
        ('Inline ```json\n{"a":1}\n```\n', []),
    ],
)
def test_fences_in_a_text(text: str, found: list[str]) -> None:
    assert fenced_values(text, OBJECT) == found


def test_scalars_and_arrays_count_when_they_are_wanted() -> None:
    text = '```\n5\n```\n```\n"a"\n```\n```\n[1]\n```'
    assert fenced_values(text, KINDS) == ["5", '"a"', "[1]"]


@pytest.mark.parametrize(
    "unit", ["```\n", "```json\n{\n", "`", " ", "```x`\n", "````\n```\n", "```json\n[1,\n", "``` x"]
)
def test_long_texts_are_read_in_linear_time(unit: str) -> None:
    text = unit * 12_000
    assert fenced_values(text, KINDS) == []
    assert unfenced(text) is None or set(unit) <= set("`\n")
