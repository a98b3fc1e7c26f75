"""The notations of single models."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.textcalls.model_calls import braces_call, deepseek_calls, kimi_calls, tool_name
from finalturn._core.textcalls.token_block import MALFORMED


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
