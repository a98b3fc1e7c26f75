"""Calls that are tags."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.markup import Schemas
from finalturn._core.textcalls.xml_calls import (
    DSML,
    function_body,
    function_calls,
    glm_call,
    invoke_calls,
    tool_call_calls,
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
