"""Bare text as the value that a schema wants."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.json_text import encode
from finalturn._core.textcalls.typed import arguments_of, typed

DEEP = "[" * 100 + "]" * 100


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        # A string is the text itself, but for a line end that belongs to its tags.
        ("5", {"type": "string"}, "5"),
        ("true", {"type": "string"}, "true"),
        ("\n a\n\n", {"type": "string"}, " a\n"),
        ("\r\na\r\n", {"type": "string"}, "a"),
        ("", {"type": "string"}, ""),
        ("x", {"enum": ["x", "y"]}, "x"),
        ("5", {"enum": ["5"]}, "5"),
        ("5", {"const": "5"}, "5"),
        # Anything else is JSON.
        (" 5 ", {"type": "integer"}, 5),
        ("5", {"type": "number"}, 5),
        ("5.5", {"type": "number"}, 5.5),
        ("true", {"type": "boolean"}, True),
        ("False", {"type": "boolean"}, False),
        ("None", {"type": "null"}, None),
        ('[1, "a"]', {"type": "array"}, [1, "a"]),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        ("5", {"enum": [5, 6]}, 5),
        ("null", {"const": None}, None),
        # What is no JSON, or no JSON that fits, goes on as it is: the tool's own check says what is wrong.
        ("five", {"type": "integer"}, "five"),
        ("NaN", {"type": "number"}, "NaN"),
        ("[1", {"type": "array"}, "[1"),
        ("true", {"type": "integer"}, True),
        (DEEP, {"type": "array"}, DEEP),
        # Either: JSON that fits, or else the text.
        ("5", {"type": ["string", "integer"]}, 5),
        ("5", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "5"),
        ("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ("5", {"oneOf": [{"type": "integer"}, {"type": "string"}]}, 5),
        ("a", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a"),
        ("5", {"allOf": [{"type": "string"}]}, "5"),
        # Nothing is known.
        ("5", None, 5),
        ("5", {}, 5),
        ("5", True, 5),
        ("a", {}, "a"),
        ('"a"', {}, '"a"'),
        # References.
        ("5", {"$ref": "#/$defs/text"}, "5"),
        ("5", {"$ref": "#/$defs/count"}, 5),
        ("5", {"$ref": "#/$defs/a~1b"}, "5"),
        ("5", {"$ref": "#/$defs/loop"}, 5),
        ("5", {"$ref": "#/$defs/none"}, 5),
        ("5", {"$ref": "#/$defs/text/type/x"}, 5),
        ("5", {"$ref": "https://example.com/text"}, 5),
        ("\ud83d", {"type": "string"}, "\ufffd"),
    ],
)
def test_a_text_is_what_the_schema_wants(text: str, schema: object, value: object) -> None:
    root: dict[str, Any] = {
        "$defs": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "a/b": {"type": "string"},
            "loop": {"$ref": "#/$defs/loop"},
        }
    }
    found = typed(text, schema, root)
    assert (type(found), found) == (type(value), value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    )
)
def test_json_comes_back_as_it_was(value: object) -> None:
    assert typed(encode(value).decode(), {}, {}) == value


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r")))
def test_a_string_comes_back_as_it_was(text: str) -> None:
    assert typed(f"\n{text}\n", {"type": "string"}, {}) == text


class TestArguments:
    SCHEMA: ClassVar[dict[str, Any]] = {"properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}

    def test_each_is_typed_by_its_own_schema(self) -> None:
        pairs = [("q", "1"), (" n ", "1"), ("x", "1")]
        assert arguments_of(pairs, self.SCHEMA) == {"q": "1", "n": 1, "x": 1}

    def test_some_are_strings_whatever_the_schema_says(self) -> None:
        assert arguments_of([("n", "\n1")], self.SCHEMA, {"n"}) == {"n": "\n1"}

    def test_one_that_is_there_twice_makes_none(self) -> None:
        assert arguments_of([("q", "1"), ("q", "2")], self.SCHEMA) is None

    @pytest.mark.parametrize("schema", [{}, {"properties": 1}])
    def test_a_schema_may_say_nothing(self, schema: dict[str, Any]) -> None:
        assert arguments_of([("q", "1")], schema) == {"q": 1}
