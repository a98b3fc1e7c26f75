"""Calls in the notations of models, as a server without a parser passes them on."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.markup import EVERY_TAG, HARMONY, THINK
from finalturn._core.textcalls import markup_of
from finalturn._core.textcalls.model_calls import CUT, MALFORMED
from tests.core._markup import ANY, TAUGHT, THOUGHTS, split, split_everywhere

# A text with one call of f, its arguments, and the text behind the call.
EXACT: list[tuple[str, dict[str, Any], str]] = [
    ('<tool_call>{"name": "f", "arguments": {"q": "</tool_call>"}}</tool_call>', {"q": "</tool_call>"}, ""),
    ('<tool_call>\n{"arguments": {"n": 1}, "name": "f"}\n</tool_call>', {"n": 1}, ""),
    ('[TOOL_CALLS][{"name": "f", "arguments": {"n": 1}}]</s>', {"n": 1}, ""),
    ('<tool_call>{"name": "f", "arguments": {"n": 1}}</tool_call><|endoftext|>', {"n": 1}, ""),
    (
        '<function_calls>\n<invoke name="f">\n<parameter name="n">1</parameter>\n</invoke>\n'
        "</function_calls>",
        {"n": 1},
        "",
    ),
    ('<tool_call>{"name": "f", "parameters": {"n": 1}}</tool_call>', {"n": 1}, ""),
    ('<tool_call>{"name": "f", "arguments": "{\\"n\\": 1}"}</tool_call>', {"n": 1}, ""),
    ('<tool_call>[{"name": "f", "arguments": {"q": "</tool_call>"}}]</tool_call>', {"q": "</tool_call>"}, ""),
    (
        "<tool_call>\n<function=f>\n<parameter=q>\n7\n</parameter>\n<parameter=n>\n7\n</parameter>\n"
        "<parameter=on>\nTrue\n</parameter>\n</function>\n</tool_call>",
        {"q": "7", "n": 7, "on": True},
        "",
    ),
    ("<tool_call><function=f></function></tool_call>", {}, ""),
    ("<function=f><parameter=q>a\n<b> </parameter></function>", {"q": "a\n<b> "}, ""),
    ("<function=f>\n<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>", {"q": "x"}, ""),
    ("<function=f>\n<parameter=q>x\n<parameter=n>1\n</function>", {"q": "x", "n": 1}, ""),
    ('<function=f>{"q": "</function>"}</function>', {"q": "</function>"}, ""),
    ('<function="f"> {"n": 1}</function>', {"n": 1}, ""),
    ('<|python_tag|>{"name": "f", "parameters": {"q": "}"}}<|eom_id|>', {"q": "}"}, ""),
    ('<|python_tag|> {"type": "function", "name": "f", "parameters": {"n": 1}} ', {"n": 1}, ""),
    (
        '<tool_call>{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"n": 1}}}'
        "</tool_call>",
        {"n": 1},
        "",
    ),
    ('[TOOL_CALLS][{"name": "f", "arguments": {"q": "]"}, "id": "abc"}]', {"q": "]"}, ""),
    ('[TOOL_CALLS] [ {"name": "f", "arguments": {"q": "\\""}} ] so', {"q": '"'}, "so"),
    ('[TOOL_CALLS]f[ARGS]{"q": "a"}so', {"q": "a"}, "so"),
    ('[TOOL_CALLS]f[CALL_ID]a1B2[ARGS]{"q": "a"}', {"q": "a"}, ""),
    ('[TOOL_CALLS]f{"q": "a"}', {"q": "a"}, ""),
    ('[TOOL_CALLS]{"name": "f", "arguments": {"n": 1}}', {"n": 1}, ""),
    ('<|tool_call|>[{"name": "f", "arguments": {"n": 1}}]<|/tool_call|>so', {"n": 1}, "so"),
    ('<function_call> {"name": "f", "arguments": {"n": 1}}</function_call>', {"n": 1}, ""),
    (
        '<tool_calls>[{"name": "f", "arguments": {"q": "</tool_calls>"}}]</tool_calls>',
        {"q": "</tool_calls>"},
        "",
    ),
    ('<TOOLCALL>[{"name": "f", "arguments": {"n": 1}}]</TOOLCALL>', {"n": 1}, ""),
    (
        "<seed:tool_call>\n<function=f>\n<parameter=n>1</parameter>\n</function>\n</seed:tool_call>",
        {"n": 1},
        "",
    ),
    (
        '<minimax:tool_call>\n<invoke name="f">\n<parameter name="q">1</parameter>\n</invoke>\n'
        "</minimax:tool_call>",
        {"q": "1"},
        "",
    ),
    (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n'
        '<｜DSML｜parameter name="n" string="true">1</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="q" string="false">1</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        {"n": "1", "q": "1"},
        "",
    ),
    (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"n": 1}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        {"n": 1},
        "",
    ),
    (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"n": 1}\n```'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        {"n": 1},
        "",
    ),
    ('<|tool▁call▁begin|>f<|tool▁sep|>{"n": 1}<|tool▁call▁end|>', {"n": 1}, ""),
    (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
        '{"n": 1}<|tool_call_end|><|tool_calls_section_end|><|im_end|>',
        {"n": 1},
        "",
    ),
    ('<|tool_call_begin|>f<|tool_call_argument_begin|>{"n": 1}<|tool_call_end|>', {"n": 1}, ""),
    (
        "<tool_call>f\n<arg_key>q</arg_key>\n<arg_value>7</arg_value>\n<arg_key>n</arg_key>\n"
        "<arg_value>7</arg_value>\n</tool_call>",
        {"q": "7", "n": 7},
        "",
    ),
    ("<tool_call>f</tool_call>", {}, ""),
    ('<|tool_call>call:f{q:<|"|>a: {b}, <|"|>,n:5}<tool_call|>', {"q": "a: {b}, ", "n": 5}, ""),
    (
        "<start_function_call>call:f{q:<escape>a<escape>,on:true}<end_function_call>",
        {"q": "a", "on": True},
        "",
    ),
    (
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"n": 1}}]<|END_ACTION|>',
        {"n": 1},
        "",
    ),
    (
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"n": 1}<|call|>',
        {"n": 1},
        "",
    ),
    ('<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"n": 1}<|call|>', {"n": 1}, ""),
    (
        '<|channel|>commentary to=functions.f<|message|>{"n": 1}<|end|><|start|>assistant<|channel|>final'
        "<|message|>so<|return|>",
        {"n": 1},
        "so",
    ),
]


@pytest.mark.parametrize(("text", "arguments", "rest"), EXACT)
def test_a_call_is_taken_out_and_read(text: str, arguments: dict[str, Any], rest: str) -> None:
    shown, reasoning, calls, _ = split_everywhere(f"Well. {text}")
    assert (shown, reasoning) == (f"Well. {rest}", "")
    assert [(call.name, call.arguments, call.id, call.error) for call in calls] == [
        ("f", arguments, None, None)
    ]
    # Two of them, with words between.
    shown, _, calls, _ = split([f"{text} and {text}"])
    assert shown.split() == [*([rest] if rest else []), "and", *([rest] if rest else [])]
    assert [(call.name, call.arguments) for call in calls] == [("f", arguments)] * 2


@pytest.mark.parametrize("text", [text for text, _, _ in EXACT])
def test_none_is_one_in_quoted_code(text: str) -> None:
    for quoted in (f"````\n{text}\n````", f"~~~\n{text}\n~~~\n"):
        assert split_everywhere(quoted)[:3] == (quoted, "", ())
    if "\n" not in text and "`" not in text:
        quoted = f"As `{text}` says"
        assert split_everywhere(quoted)[:3] == (quoted, "", ())


@pytest.mark.parametrize("text", [text for text, _, _ in EXACT])
def test_none_is_one_in_reasoning(text: str) -> None:
    assert split_everywhere(f"<think>{text}</think>")[:3] == ("", text, ())


@pytest.mark.parametrize("text", [text for text, _, _ in EXACT])
@pytest.mark.parametrize("markup", [THOUGHTS, TAUGHT, markup_of((THINK,), "none")])
def test_where_none_is_looked_for_it_is_text(text: str, markup: Any) -> None:
    shown, _, calls, _ = whole = split([text], markup, {})
    assert split(text, markup, {}) == whole
    assert calls == ()
    if "<|end|>" not in text and not text.endswith("<|call|>"):
        assert shown == text


@pytest.mark.parametrize("text", [text for text, _, _ in EXACT])
def test_a_call_that_is_cut_runs_only_if_it_is_whole(text: str) -> None:
    (whole,) = split_everywhere(text)[2]
    for place in range(1, len(text)):
        shown, reasoning, calls, _ = split([text[:place]])
        assert reasoning == ""
        for call in calls:
            assert call.error in (CUT, MALFORMED) or call == whole
        # Either it is a call, or every character is shown.
        assert calls or shown == text[:place] or place < 60


@pytest.mark.parametrize(
    "text",
    [
        '<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"n": 1}',
        "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>"
        '{"n": 1}<|tool_call_end|>',
        '<minimax:tool_call><invoke name="f"><parameter name="n">1</parameter></invoke>',
        '[TOOL_CALLS]f[ARGS]{"n": 1}',
    ],
)
def test_a_token_that_ends_the_turn_may_be_missing(text: str) -> None:
    shown, _, (call,), _ = split_everywhere(text)
    assert (shown, call.name, call.arguments, call.error) == ("", "f", {"n": 1}, None)


class TestSeveral:
    @pytest.mark.parametrize(
        "text",
        [
            '[TOOL_CALLS][{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]',
            "[TOOL_CALLS]f[ARGS]{}[TOOL_CALLS]g[ARGS]{}",
            '<|python_tag|>{"name": "f", "parameters": {}}; {"name": "g", "parameters": {}}',
            "<tool_call><function=f></function><function=g></function></tool_call>",
            "<function=f>{}</function>\n<function=g>{}</function>",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}"
            "<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
            "<|tool_calls_section_end|>",
            '<minimax:tool_call><invoke name="f"></invoke><invoke name="g"></invoke></minimax:tool_call>',
            "<|channel|>commentary to=functions.f<|message|>{}<|call|><|start|>assistant<|channel|>commentary"
            " to=functions.g<|message|>{}<|call|>",
        ],
    )
    def test_in_order(self, text: str) -> None:
        shown, _, calls, _ = split_everywhere(text)
        assert shown == ""
        assert [(call.name, call.error) for call in calls] == [("f", None), ("g", None)]

    @pytest.mark.parametrize("behind", ["; so", ";", " ; [", "\n{", "; " + " " * 300 + "{}"])
    def test_what_follows_no_semicolon_and_brace_is_text(self, behind: str) -> None:
        text = '<|python_tag|>{"name": "f", "parameters": {}}'
        shown, _, calls, _ = split_everywhere(text + behind)
        assert (shown.strip(), len(calls)) == (behind.strip(), 1)


class TestMalformed:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ('<tool_call>{"name": "f", "arguments": {"q": "a}}</tool_call>', "f"),
            ('<tool_call>{"name": "f", "arguments": []}</tool_call>', "f"),
            ('<tool_call>{"name": "f", "arguments": {}, "arguments": {"n": 1}}</tool_call>', "f"),
            ('<tool_call>{"name": "f", "arguments": {}, "do": 1}</tool_call>', "f"),
            ("<tool_call>f(1)</tool_call>", ""),
            ("<tool_call>nobody</tool_call>", ""),
            ("<tool_call><function=f><parameter=q>1</parameter>x</function></tool_call>", ""),
            ("<tool_call><function=f></function>x</tool_call>", ""),
            ("<tool_call><function=f></tool_call>", ""),
            ("<tool_call>x<function=f></function></tool_call>", ""),
            ("<tool_call><function=></function></tool_call>", ""),
            ("<tool_call>f<arg_key>q</arg_key></tool_call>", ""),
            ("<tool_call>f<arg_key</tool_call>", ""),
            ("<tool_call>f<arg_key>q<arg_value>1</arg_value></tool_call>", ""),
            ("<tool_call>f x<arg_key>q</arg_key><arg_value>1</arg_value></tool_call>", ""),
            ("<function=f><parameter=q>1</parameter><parameter=q>2</parameter></function>", "f"),
            ("<function=f>words</function>", "f"),
            ("<function=f>{1}</function>", "f"),
            ('[TOOL_CALLS][{"name": "f"}]', ""),
            ("[TOOL_CALLS][]", ""),
            ("[TOOL_CALLS]f[ARGS]{q}", "f"),
            ('<|tool_call|>[{"name": "f", "arguments": {}},]', ""),
            ('<|tool_call|>[{"name": "f", "arguments": {}} 1]', ""),
            ("<|tool_call|>[1]", ""),
            ('<|tool_call|>{"name" 1}', ""),
            ('<|python_tag|>f.call(q="x")<|eom_id|>', ""),
            ("<minimax:tool_call><invoke><parameter></parameter></invoke></minimax:tool_call>", ""),
            ('<minimax:tool_call><invoke name="f"><parameter>1</parameter></invoke></minimax:tool_call>', ""),
            ('<minimax:tool_call><invoke name="f">x</invoke></minimax:tool_call>', ""),
            ("<minimax:tool_call>x</minimax:tool_call>", ""),
            ("<|tool_calls_section_begin|>x<|tool_calls_section_end|>", ""),
            ("<|tool_call_begin|>functions.f:0<|tool_call_end|>", "f"),
            ("<|tool_call>call:f<tool_call|>", ""),
            ("<|tool_call>call:f{q:}<tool_call|>", ""),
            ("<|channel|>commentary to=functions.f<|message|>words<|call|>", "f"),
            ("<|channel|>analysis to=python code<|message|>print(1)<|call|>", "python"),
        ],
    )
    def test_it_is_a_call_with_an_error_and_never_shown(self, text: str, name: str) -> None:
        shown, _, (call,), _ = split_everywhere(f"a {text} b")
        assert shown == "a b"
        assert (call.name, call.error, call.arguments) == (name, MALFORMED, {})

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ('<tool_call>{"name": "f", "arguments": {"q": "SECRET', "f"),
            ('<tool_call>{"name": "f", "arguments": {}}</tool_', "f"),
            ("<tool_call>", ""),
            ("<tool_call>f", ""),
            ("<tool_call>f\n<arg_key>SECRET", ""),
            ("<function=f><parameter=q>SECRET", "f"),
            ('[TOOL_CALLS][{"name": "f", "arguments"', ""),
            ('[TOOL_CALLS]f[ARGS]{"q": "\\', "f"),
            ('<|tool_call>call:f{q:<|"|>SECRET', ""),
            ("<|python_tag|>f.call(", ""),
            ('<|channel|>commentary to=functions.f<|message|>{"q": "SECRET', "f"),
        ],
    )
    def test_one_that_is_cut_has_one_too(self, text: str, name: str) -> None:
        shown, _, (call,), _ = split_everywhere(f"a {text}")
        assert shown == "a "
        assert (call.name, call.error, call.arguments) == (name, CUT, {})

    def test_a_tool_that_was_not_offered_is_called_all_the_same(self) -> None:
        shown, _, (call,), _ = split_everywhere('<tool_call>{"name": "who", "arguments": {}}</tool_call>')
        assert (shown, call.name, call.error) == ("", "who", None)


class TestNoCall:
    @pytest.mark.parametrize(
        "text",
        [
            "The [TOOL_CALLS] token, [TOOL_CALLS](x), [TOOL_CALLS][1] and [TOOL_CALLS]a[b]",
            "[TOOL_CALLS]" + " " * 300 + "f{}",
            "<function=f", "<function=f >= 1", "<function=" + "f" * 300 + ">{}</function>",
            "The <|tool_call|> token", "<function_call>f()</function_call>",
            "The <|channel|> token and <|start|> too", "<|channel|>" + "a" * 300 + "<|message|>",
            "Use <tool_call> or <tool_calls> here", "<|python_tag|>", "<|python_tag|>\n",
        ],
    )  # fmt: skip
    def test_a_token_that_no_call_follows_is_text(self, text: str) -> None:
        assert split_everywhere(text)[:3] == (text, "", ())


class TestHarmony:
    TEXT = (
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>First.<|end|>"
        "<|start|>assistant<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>"
        "Yes.<|return|>"
    )

    @pytest.mark.parametrize("markup", [ANY, THOUGHTS, TAUGHT])
    def test_each_channel_is_what_it_is(self, markup: Any) -> None:
        shown, reasoning, _, order = split_everywhere(self.TEXT, markup)
        assert (shown, reasoning) == ("First.Yes.", "hmso")
        assert order == ("ReasoningDelta: hm", "TextDelta: First.", "ReasoningDelta: so", "TextDelta: Yes.")

    def test_a_message_may_begin_before_the_last_has_ended(self) -> None:
        text = "<|channel|>analysis<|message|>hm<|channel|>final<|message|>Yes."
        assert split_everywhere(text)[:2] == ("Yes.", "hm")
        text = "<|channel|>commentary to=functions.f<|message|>{}<|channel|>final<|message|>Yes."
        shown, _, (call,), _ = split_everywhere(text)
        assert (shown, call.name, call.error) == ("Yes.", "f", None)


def test_each_token_can_be_told_from_every_other() -> None:
    for markup in (ANY, TAUGHT, THOUGHTS):
        tokens = {*markup.tags, *markup.blocks, *markup.strays, *markup.frames}
        for token in tokens:
            assert not any(other != token and other.startswith(token) for other in tokens), token
            assert not any(character in token[1:] for character in markup.first_characters), token


def test_the_markup_of_a_spelling_is_made_once() -> None:
    assert markup_of((*EVERY_TAG, HARMONY), "any") is ANY
