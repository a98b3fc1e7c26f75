"""Text tool calls: what is a call, what is visible, and that cuts in the text change neither."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.json_text import decode
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls import TextToolCalls

NAMES = ("lookup", "delete_all")
OPEN, CLOSE = "<tool_call>", "</tool_call>"
LOOKUP = '<tool_call>{"name": "lookup", "arguments": {"id": 1}}</tool_call>'


def read(pieces: Iterable[str], names: Sequence[str] = NAMES) -> tuple[str, tuple[ToolCall, ...]]:
    calls = TextToolCalls(names)
    shown = [calls.feed(piece) for piece in pieces]
    rest, found = calls.finish()
    return "".join((*shown, rest)), found


def brief(calls: Iterable[ToolCall]) -> list[tuple[str, bool]]:
    return [(call.name, call.error is None) for call in calls]


class TestExactBlocks:
    def test_a_call_has_no_id_and_its_text_is_hidden(self) -> None:
        shown, calls = read([f"Let me look. {LOOKUP}"])
        assert shown == "Let me look. "
        assert calls == (ToolCall("lookup", {"id": 1}),)
        assert calls[0].id is None

    @pytest.mark.parametrize(
        "block",
        [
            '{"name":"lookup","arguments":{"id":1}}',
            '\n{"name": "lookup", "arguments": {"id": 1}}\n',
            ' {\n  "name" : "lookup" ,\n  "arguments" : {"id" : 1}\n} ',
            '{"arguments": {"id": 1}, "name": "lookup"}',
            '{"name": "look\\u0075p", "arguments": {"id": 1}}',
        ],
    )
    def test_any_layout_of_the_object_will_do(self, block: str) -> None:
        assert read([OPEN, block, CLOSE]) == ("", (ToolCall("lookup", {"id": 1}),))

    def test_the_arguments_keep_the_models_own_text(self) -> None:
        text = '{"id": 9007199254740993, "amount": 0.10000000000000000001}'
        for block in (f'{{"name": "f", "arguments": {text} }}', f'{{"arguments": {text}, "name": "f"}}'):
            (call,) = read([OPEN, block, CLOSE])[1]
            assert call.arguments_json() == text
            assert call.arguments["id"] == 9007199254740993

    def test_an_unknown_name_is_a_call_without_error(self) -> None:
        assert read([OPEN, '{"name": "who", "arguments": {}}', CLOSE]) == ("", (ToolCall("who"),))

    def test_a_closing_tag_in_a_string_does_not_end_the_block(self) -> None:
        block = '{"name": "lookup", "arguments": {"x": "</tool_call>", "y": "\\"</tool_call>"}}'
        shown, calls = read([f"a {OPEN}{block}{CLOSE} b"])
        assert shown == "a b"
        assert calls == (ToolCall("lookup", {"x": "</tool_call>", "y": '"</tool_call>'}),)

    def test_calls_keep_their_order(self) -> None:
        blocks = [f'{OPEN}{{"name": "f{i}", "arguments": {{}}}}{CLOSE}' for i in range(5)]
        assert [call.name for call in read(["\n".join(blocks)])[1]] == [f"f{i}" for i in range(5)]


class TestMalformedBlocks:
    @pytest.mark.parametrize(
        ("block", "name"),
        [
            ("", ""),
            ("lookup(1)", ""),
            ("[]", ""),
            ('"lookup"', ""),
            ("{}", ""),
            ('{"name": "lookup"}', "lookup"),
            ('{"arguments": {}}', ""),
            ('{"name": "", "arguments": {}}', ""),
            ('{"name": 1, "arguments": {}}', ""),
            ('{"arguments": {}, "name": 1}', ""),
            ('{"name": "lookup", "arguments": []}', "lookup"),
            ('{"name": "lookup", "arguments": null}', "lookup"),
            ('{"name": "lookup", "arguments": "{}"}', "lookup"),
            ('{"name": "lookup", "parameters": {}}', "lookup"),
            ('{"name": "lookup", "arguments": {}, "id": "1"}', "lookup"),
            ('{"id": "1", "name": "lookup", "arguments": {}}', "lookup"),
            ('{"name": "lookup", "arguments": {}, "arguments": {"all": true}}', "lookup"),
            ('{"name": "lookup", "name": "delete_all", "arguments": {}}', "lookup"),
            ('{"arguments": {}, "name": "lookup", "name": "delete_all"}', "delete_all"),
            ('{"name": "lookup", "arguments": {}}}', "lookup"),
            ('{"name": "lookup", "arguments": {"id": tr}}', "lookup"),
            ('{"name": "lookup", "arguments": {"id": 1}', "lookup"),
            ('{"name": "lookup", "arguments": {"n": NaN}}', "lookup"),
            ('{"name": "lookup", "arguments": {"a": "\\q"}}', "lookup"),
            ('{"name": "lookup", "arguments": {"a\nb": "two lines"}}', "lookup"),
            ('{"name": "lookup", "arguments": {"a": "x" "y"}}', "lookup"),
            ('{"name": "lookup", "arguments": {}} <br>', "lookup"),
            ('{"name": "\\ud83d", "arguments": {}}', ""),
            ('```json\n{"name": "lookup", "arguments": {}}\n```', ""),
        ],
    )
    def test_it_is_a_call_with_an_error_and_never_shown(self, block: str, name: str) -> None:
        shown, calls = read([f"a {OPEN}{block}{CLOSE} b"])
        assert shown == "a b"
        assert brief(calls) == [(name, False)]
        assert calls[0].arguments == {}

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            (OPEN, ""),
            (f"{OPEN}\n", ""),
            (f'{OPEN}{{"name": "delete_all", "arguments": {{"confirm": tr', "delete_all"),
            (f'{OPEN}{{"name": "delete_all", "arguments": {{}}}}', "delete_all"),
            (f'{OPEN}{{"name": "delete_all", "arguments": {{}}}}</tool_', "delete_all"),
            (f'{OPEN}{{"name": "delete_all", "arguments": {{"a": "\\', "delete_all"),
            (f"{OPEN}nothing like it", ""),
        ],
    )
    def test_a_block_that_is_not_closed_is_an_error_too(self, text: str, name: str) -> None:
        shown, calls = read([f"Ok. {text}"])
        assert shown == "Ok. "
        assert brief(calls) == [(name, False)]
        assert calls[0].error is not None
        assert "not closed" in calls[0].error

    def test_the_error_quotes_nothing_of_the_model(self) -> None:
        (call,) = read([f'{OPEN}{{"name": "lookup", "arguments": "SENTINEL"}}{CLOSE}'])[1]
        assert "SENTINEL" not in str(call.error)

    def test_a_forgotten_quote_does_not_swallow_the_rest(self) -> None:
        broken = f'{OPEN}{{"name": "lookup", "arguments": {{"x": "abc}}}}{CLOSE}'
        for rest in ("The answer is 5.", '\nHe said "no" to that.', ' "result" is "true"', f" b {LOOKUP}"):
            shown, calls = read([f"a{broken}{rest}"])
            assert shown == f"a{rest.removesuffix(LOOKUP)}"
            assert brief(calls)[0] == ("lookup", False)
            assert brief(calls)[1:] == [("lookup", True)] * rest.count(LOOKUP)

    def test_the_rest_flows_again_as_soon_as_the_block_cannot_be_json(self) -> None:
        calls = TextToolCalls(NAMES)
        assert calls.feed(f'{OPEN}{{"name": "f{CLOSE}Done') == ""
        assert calls.feed(".\n") == "Done.\n"

    def test_what_stands_inside_a_malformed_block_never_runs(self) -> None:
        inner = '<tool_call>{"name": "delete_all", "arguments": {}}</tool_call>'
        assert brief(read([f'{OPEN}{{"name": "lookup", "arguments": {{"x":\n{inner}'])[1]) == [
            ("lookup", False)
        ]
        assert brief(read([f"{OPEN}\n{inner}"])[1]) == [("", False)]

    def test_a_wrong_shape_is_hidden_to_its_end(self) -> None:
        block = '{"name": "lookup", "arguments": {"x": "</tool_call> hidden"}, "id": 1}'
        assert read([f"a {OPEN}{block}{CLOSE} b"])[0] == "a b"


class TestNoBlock:
    @pytest.mark.parametrize(
        "text",
        [
            '```json\n{"name": "lookup", "arguments": {}}\n```',
            '{"name": "lookup", "arguments": {}}',
            "a < b, a <tool> b, <Tool_Call>, < tool_call>, <tool_call >, </tool_call>",
            "ends with <tool_cal",
            " \n leading and trailing \n ",
            " \n ",
            "",
        ],
    )
    def test_text_without_a_block_comes_out_unchanged(self, text: str) -> None:
        assert read([text]) == (text, ())
        assert read(text) == (text, ())

    def test_without_tools_nothing_is_a_call(self) -> None:
        text = f" {LOOKUP}{OPEN}"
        assert read(text, names=()) == (text, ())


class TestWhatIsVisibleWhen:
    def test_prose_is_never_delayed(self) -> None:
        calls = TextToolCalls(NAMES)
        pieces = ["The ", "answer ", " ", "", "is", "\n", "5 > 4 ", "<b>", "5", "</b>."]
        assert [calls.feed(piece) for piece in pieces] == pieces

    def test_the_bracket_is_held_until_it_cannot_be_the_tag(self) -> None:
        calls = TextToolCalls(NAMES)
        assert calls.feed("a <") == "a "
        assert calls.feed("tool_") == ""
        assert calls.feed("box <") == "<tool_box "
        assert calls.feed("<t") == "<"
        assert calls.finish() == ("<t", ())

    def test_prose_flows_again_behind_a_block(self) -> None:
        calls = TextToolCalls(NAMES)
        assert calls.feed(f"One {LOOKUP} two") == "One two"
        assert calls.feed(" three") == " three"
        assert calls.finish()[0] == ""


class TestBlankTextAroundBlocks:
    @pytest.mark.parametrize(
        ("text", "visible"),
        [
            ("{}", ""),
            ("\n{}\n", ""),
            ("{}\n{}\n\n{}", ""),
            ("{}\n\nDone.", "Done."),
            ("\n{}\nDone.\n", "Done.\n"),
            ("Look.\n{}\n", "Look.\n"),
            ("Look.\n\n{}\n{}\n\nDone.", "Look.\n\nDone."),
            ("Look.{}\nDone.", "Look.\nDone."),
            ("Look.{}{}\nDone.", "Look.\nDone."),
            ("Look.{}\n{}Done.", "Look.\nDone."),
            ("Look.{}Done.", "Look.Done."),
            ("a {} b", "a b"),
        ],
    )
    def test_it_is_shown_only_where_it_keeps_words_apart(self, text: str, visible: str) -> None:
        assert read([text.replace("{}", LOOKUP)])[0] == visible


# Words that lead a scanner astray, and the blocks themselves.
FRAGMENTS = st.sampled_from(
    [
        *(
            "<",
            OPEN,
            CLOSE,
            LOOKUP,
            '{"name":"lookup","arguments":{"x":"',
            '"}}',
            '"',
            "\\",
            "{",
            "}",
            ":",
            ",",
        ),
        *("<tool", "_call>", "</", "\n", " ", "a", "true", "é", "\ud83d", '"arguments":{},"name":"f"}'),
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=12).map("".join)


def cut(text: str, places: Iterable[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(edges)]


def expected(text: str) -> tuple[list[str], list[bool]]:
    """The visible stretches, and whether each call is exact: the definition, read off the whole text."""
    stretches: list[str] = []
    exact: list[bool] = []
    while OPEN in text:
        prose, _, text = text.partition(OPEN)
        stretches.append(prose)
        ends = [at for at in range(len(text)) if text.startswith(CLOSE, at)]
        end = next((at for at in ends if is_object(text[:at])), ends[0] if ends else None)
        block, text = (text, "") if end is None else (text[:end], text[end + len(CLOSE) :])
        exact.append(end is not None and is_exact(block))
    return [*stretches, text], exact


def is_object(text: str) -> bool:
    try:
        return isinstance(decode(text), dict)
    except ValueError:
        return False


def is_exact(text: str) -> bool:
    if not is_object(text):
        return False
    value = decode(text)
    # The pairs tell a repeated key, the value does not.
    pairs: list[tuple[str, object]] = json.loads(text, object_pairs_hook=list)
    keys_fit = sorted(key for key, _ in pairs) == ["arguments", "name"]
    return keys_fit and bool(value["name"]) and isinstance(value["arguments"], dict)


@given(TEXTS)
def test_blocks_are_where_the_definition_says(text: str) -> None:
    shown, calls = read([text])
    stretches, exact = expected(text)
    assert "".join(shown.split()) == "".join("".join(stretches).split())
    assert [call.error is None for call in calls] == exact
    assert shown.split() == "".join(stretches).split() or calls


@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=8))
def test_text_and_calls_do_not_depend_on_how_the_text_is_cut(text: str, places: list[int]) -> None:
    whole = read([text])
    for pieces in (cut(text, places), list(text)):
        shown, found = read(pieces)
        assert (shown, found) == whole
        assert [call.arguments_json() for call in found] == [call.arguments_json() for call in whole[1]]


@given(TEXTS, st.integers(0, 10_000))
def test_what_is_visible_by_now_depends_on_the_text_by_now(text: str, place: int) -> None:
    prefix = text[: place % (len(text) + 1)]
    one, many = TextToolCalls(NAMES), TextToolCalls(NAMES)
    assert one.feed(prefix) == "".join(map(many.feed, prefix))


@given(st.text(alphabet='<tool_cal>/"{}\\\n ab'))
def test_text_without_the_tag_is_unchanged(text: str) -> None:
    if OPEN not in text:
        assert read(text) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "<" * 5_000,
        " " * 5_000,
        f'{OPEN}{{"name": "f", "arguments": {{"x": "' + CLOSE * 500 + "y" * 2_000,
        f'{OPEN}{{"{CLOSE}' * 400,
        f'{OPEN}{{"{CLOSE}{OPEN}{{1{CLOSE}' * 400,
        f"{OPEN}x{CLOSE}" * 500,
        f'{OPEN}{{"arguments": {{{"," * 5_000}{CLOSE}',
        LOOKUP * 175,
    ],
    ids=["brackets", "blanks", "tags in a string", "quotes", "in turn", "broken", "commas", "calls"],
)
def test_every_kind_of_long_text_is_read_in_pieces_and_whole(text: str) -> None:
    assert read(text) == read([text])


def test_a_line_break_in_a_string_is_read_as_if_it_were_escaped() -> None:
    _, (call,) = read([f'{OPEN}{{"name": "lookup", "arguments": {{"a": "two\nlines"}}}}{CLOSE}'])
    assert call.arguments == {"a": "two\nlines"}
    assert call.arguments_json() == '{"a": "two\\nlines"}'
