"""Calls that are tags."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.json_text import encode
from finalturn._core.markup import Schemas
from finalturn._core.textcalls.xml_calls import (
    DSML,
    arguments_of,
    function_body,
    function_calls,
    glm_call,
    invoke_calls,
    tool_call_calls,
    typed,
)

SCHEMAS: Schemas = {"f": {"properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}}
VALUES = st.text(alphabet="<>/ab\n {}\"'=", max_size=12).filter(
    lambda text: (
        not any(word in text for word in ("</parameter>", "<parameter=", "</function>", "</arg_value>"))
    )
)


@given(VALUES, st.integers())
def test_what_is_written_is_what_is_read(text: str, number: int) -> None:
    body = f"<parameter=q>\n{text}\n</parameter>\n<parameter=n>\n{number}\n</parameter>"
    calls = function_calls(f"<function=f>\n{body}\n</function>", SCHEMAS)
    assert calls is not None
    assert calls[0].arguments == {"q": text, "n": number}
    pairs = f"<arg_key>q</arg_key>\n<arg_value>\n{text}\n</arg_value>"
    call = glm_call(f"f\n{pairs}", SCHEMAS)
    assert call is not None and call.arguments == {"q": text}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("", {}),
        (' {"q": 1} ', {"q": 1}),
        ("<parameter=q>1</parameter>", {"q": "1"}),
        ("<parameter=q>1", {"q": "1"}),
        ("<parameter=q>1<parameter=n>2", {"q": "1", "n": 2}),
        ("<parameter=new>1</parameter>", {"new": 1}),
        ("words", None),
        ("<parameter=q", None),
        ("<parameter=q>1</parameter>words", None),
        ("<parameter=q>1</parameter><parameter=q>1</parameter>", None),
        ("{1}", None),
    ],
)
def test_a_function_has_an_object_or_parameters(text: str, arguments: dict[str, Any] | None) -> None:
    call = function_body("f", text, SCHEMAS)
    assert (None if call is None else call.arguments) == arguments


def test_a_function_has_a_name() -> None:
    assert function_body(" ", "{}", SCHEMAS) is None
    named = function_body("'f'", "", SCHEMAS)
    assert named is not None and named.name == "f"


@pytest.mark.parametrize("mark", ["", DSML])
def test_an_invocation_names_its_parameters(mark: str) -> None:
    def invoked(attributes: str, text: str) -> Any:
        parameter = f"<{mark}parameter{attributes}>{text}</{mark}parameter>"
        calls = invoke_calls(f'<{mark}invoke name="f">{parameter}</{mark}invoke>', SCHEMAS, mark)
        return None if calls is None else calls[0].arguments

    assert invoked(' name="n"', "1") == {"n": 1}
    assert invoked(' name="n" string="true"', "1") == {"n": "1"}
    assert invoked(' name="q" string="false"', "1") == {"q": "1"}
    assert invoked(' title="n"', "1") is None
    assert invoke_calls(f'<{mark}invoke name="f">', SCHEMAS, mark) is None
    assert invoke_calls("", SCHEMAS, mark) is None


@pytest.mark.parametrize("text", ["f", " f ", "f\n<arg_key>q</arg_key><arg_value>1</arg_value>"])
def test_a_name_may_have_pairs(text: str) -> None:
    call = glm_call(text, SCHEMAS)
    assert call is not None and call.name == "f"


@pytest.mark.parametrize(
    "text", ["", "g", "f x", "f<arg_key>q</arg_key>", "f<arg_key>q", "<arg_key>q</arg_key>"]
)
def test_anything_else_is_none(text: str) -> None:
    assert glm_call(text, SCHEMAS) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "f", "arguments": {}}',
        '[{"name": "f", "arguments": {}}]',
        "<function=f></function>",
        "f",
    ],
)
def test_a_block_holds_any_of_them(text: str) -> None:
    calls = tool_call_calls(f"\n{text}\n", SCHEMAS)
    assert calls is not None and [call.name for call in calls] == ["f"]
    assert tool_call_calls("words of prose", SCHEMAS) is None


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
