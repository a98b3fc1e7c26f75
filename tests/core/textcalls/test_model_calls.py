"""The notations of single models."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.markup import BlockEnd
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.model_calls import (
    CUT,
    MALFORMED,
    TokenBlock,
    braces_call,
    deepseek_calls,
    kimi_calls,
    tool_name,
)


def read(pieces: list[str]) -> tuple[BlockEnd, str]:
    """How the block ends, and the text behind it. A call's name is the block's text; a blank one is none."""
    block = TokenBlock(
        ("</a>", "<b>"),
        lambda text: (ToolCall(text),) if text.strip() else None,
        name="n",
        reopening=("<b>",),
    )
    for place, piece in enumerate(pieces):
        if ended := block.feed(piece, 0):
            return ended, ended.text[ended.at :] + "".join(pieces[place + 1 :])
    ended = block.finish()
    return ended, ended.text[ended.at :]


@pytest.mark.parametrize(
    ("text", "call", "rest"),
    [
        ("x</a> y</a>", ToolCall("x"), " y</a>"),
        ("x</a", ToolCall("x</a"), ""),
        ("x<</a>", ToolCall("x<"), ""),
        # What begins something else is left where it is.
        ("x<b>y", ToolCall("x"), "<b>y"),
        ("\ud83d</a>", ToolCall("\ufffd"), ""),
        (" </a>y", ToolCall("n", error=MALFORMED), "y"),
        ("<b>", ToolCall("n", error=MALFORMED), "<b>"),
        (" ", ToolCall("n", error=CUT), ""),
        ("", ToolCall("n", error=CUT), ""),
    ],
)
def test_the_first_closing_token_ends_it(text: str, call: ToolCall, rest: str) -> None:
    for pieces in ([text], list(text)):
        ended, behind = read(pieces)
        assert (ended.parts, behind) == ((call,), rest)


@given(st.text(alphabet="</ab>x "), st.integers(0, 20))
def test_cuts_change_nothing(text: str, place: int) -> None:
    whole, rest = read([text])
    for pieces in ([text[:place], text[place:]], list(text)):
        ended, behind = read(pieces)
        assert (ended.parts, behind) == (whole.parts, rest)


def test_reading_begins_where_it_is_told() -> None:
    ended = TokenBlock(("</a>",), lambda text: (ToolCall(text),)).feed("</a>x</a>y", 4)
    assert ended == BlockEnd((ToolCall("x"),), "</a>x</a>y", 9)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("f", "f"),
        (" functions.f:0 ", "f"),
        ("functions.f:12", "f"),
        ("f:0", "f"),
        ("f:x", "f:x"),
        ("f:", "f"),
        ("functions.a.b:1", "a.b"),
        ("", ""),
    ],
)
def test_a_name_stands_in_a_namespace_and_is_numbered(written: str, name: str) -> None:
    assert tool_name(written) == name


def test_kimi_writes_one_behind_the_other() -> None:
    begin, middle, end = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
    calls = kimi_calls(f"\n{begin}functions.f:0{middle}{{}}{end}\n{begin}functions.g:1{middle}{{{end}")
    assert calls is not None
    assert [(call.name, call.error) for call in calls] == [("f", None), ("g", MALFORMED)]
    assert kimi_calls("words") is kimi_calls(f"words{begin}f{middle}{{}}{end}") is None


def test_deepseek_may_put_the_object_into_a_fence() -> None:
    begin, middle, end = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
    fenced = f'{begin}function{middle}f\n```json\n{{"q": "`"}}\n```{end}'
    calls = deepseek_calls(f"{fenced}{begin}g{middle}{{}}{end}{begin}function{middle}{{}}{end}", "｜")
    assert calls is not None
    assert [(call.name, call.arguments) for call in calls] == [("f", {"q": "`"}), ("g", {}), ("function", {})]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("call:f{}", {}),
        (' call: f {q:|a|,n:1,on:true,x:null,l:[|a|,{k:|v|}]} ', {"q": "a", "n": 1, "on": True, "x": None,
                                                                 "l": ["a", {"k": "v"}]}),
        ('call:f{q:|say "x", y: {z:|}', {"q": 'say "x", y: {z:'}),
        ('call:f{"q":1}', {"q": 1}),
        ("call:f{q:}", None),
        ("call:f{q:|a}", None),
        ("call:f", None),
        ("f{}", None),
        ("", None),
    ],
)  # fmt: skip
def test_an_object_may_have_bare_keys_and_strings_between_tokens(
    text: str, arguments: dict[str, Any] | None
) -> None:
    calls = braces_call(text, "|")
    assert (None if calls is None else calls[0].arguments) == arguments
