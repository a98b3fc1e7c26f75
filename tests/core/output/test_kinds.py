from __future__ import annotations

import json

import pytest

from finalturn._core.output.kinds import KINDS, kind_at, kind_of

SAMPLES = {
    "object": ["{}", '{"a":1}'],
    "array": ["[]", "[1]"],
    "string": ['""', '"0"'],
    "number": ["0", "-1", "1.5", "1e3"],
    "boolean": ["true", "false"],
    "null": ["null"],
}


PAIRS = [(kind, text) for kind, texts in SAMPLES.items() for text in texts]


def test_every_kind_is_known() -> None:
    assert set(SAMPLES) == KINDS


@pytest.mark.parametrize(("kind", "text"), PAIRS)
def test_the_kind_of_a_value_and_of_its_text(kind: str, text: str) -> None:
    value = json.loads(text)
    assert kind_of(value) == kind
    assert kind_at(text[0]) == kind
