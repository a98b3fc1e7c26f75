"""JSON text: read strictly, written whatever happens."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn._core.json_text import MAX_DEPTH, decode, decode_written, encode, without_surrogates
from tests.core._values import JSON, TEXT, nested

PIECES = st.sampled_from(
    [
        *'{}[]:,"\\/ -+.eE0159tfn',
        *("true", "false", "null", "NaN", "Infinity", "-", "\\u", "\\ud83d", "\\ude00", "\\u00e9", "\\n"),
        *('"a"', '"":', "1e5", "1e999", "-0", "0.10", "\n", "\t", "\u00a0", "\ufeff", "\ud83d", "\x00", "é"),
    ]
)
CONTROLS = st.text(st.sampled_from('a"\\{}:, \n\r\t\x00\x1f\x7f\u2028'))
VALUES_WITH_CONTROLS = st.recursive(
    CONTROLS, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["a", '"\\', ""]), inner)
)
CONTROL_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:[bfnrt]|u00[01].))")
LOOKS_LIKE_JSON = st.lists(PIECES, max_size=12).map("".join)


def outcome(read: Any, text: str | bytes) -> Any:
    """What a reader makes of a text: its value, exactly, or that it refuses."""
    try:
        return repr(read(text))
    except ValueError:
        return ValueError


@given(JSON)
@example(2**53 + 1)
@example(10**4300 - 1)
@example(nested(MAX_DEPTH))
@example({"": [-0.0, 5e-324, 1.7976931348623157e308, True, 1, 1.0]})
def test_what_is_written_is_read(value: Any) -> None:
    text = json.dumps(value)
    if "\\ud" in text:
        return
    assert outcome(decode, encode(value)) == repr(value)
    assert outcome(decode, text) == repr(value)
    assert outcome(decode, text.encode()) == repr(value)


@given(LOOKS_LIKE_JSON | st.text() | JSON.map(json.dumps))
@example("[1, 2")
@example("9" * 5000)
@example("-" + "9" * 4301)
@example('{"a": ' + "9" * 4300 + "}")
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example("[" * 300 + "]" * 300)
@example("NaN")
@example('{"a": -Infinity}')
@example("1e999")
@example("[-1e999]")
@example("1" * 400 + ".5")
@example('"\\ud83d"')
@example('"\\ud83d\\ude00"')
@example('"\ud83d"')
@example("\ufeff1")
@example("")
@example('{"a": 1, "a": 2}')
@example('"\x00"')
@example("5.")
@example("01")
def test_whatever_comes_it_is_read_as_the_standard_library_does_or_refused(text: str) -> None:
    found = outcome(decode, text)
    if found is not ValueError:
        assert found == repr(json.loads(text))


@given(st.binary() | LOOKS_LIKE_JSON.map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b'"\xff"')
@example(b'"\xed\xa0\xbd"')
@example(b'"\xf0\x9f"')
def test_the_same_holds_for_bytes(data: bytes) -> None:
    found = outcome(decode, data)
    if found is not ValueError:
        assert found == repr(json.loads(data.decode()))


@given(LOOKS_LIKE_JSON)
def test_what_is_refused_is_refused_by_a_strict_reader_too(text: str) -> None:
    """The standard library, without what it reads beyond JSON."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        value = json.loads(text, parse_constant=refuse)
        text.encode()
        json.dumps(value, ensure_ascii=False).encode()
        json.dumps(value, allow_nan=False)
    except ValueError:
        with pytest.raises(ValueError, match=r".+"):
            decode(text)
    else:
        assert decode(text) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1e999", "holds a number that is too large"),
        ('{"a": [-1E999]}', "holds a number that is too large"),
        ("1" * 400 + ".0", "holds a number that is too large"),
        ('"\ud83d"', "holds half of a surrogate pair"),
        ("[" * 101 + "]" * 101, "is nested more than 100 deep"),
        ('{"a": ' * 101 + "1" + "}" * 101, "is nested more than 100 deep"),
    ],
)
def test_some_refusals_say_why(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{problem}$"):
        decode(text)


class TestDepth:
    @pytest.mark.parametrize("depth", [1, 99, MAX_DEPTH, MAX_DEPTH + 1, 150])
    def test_it_is_bounded(self, depth: int) -> None:
        text = encode(nested(depth))
        assert (outcome(decode, text) is ValueError) == (depth > MAX_DEPTH)

    def test_many_brackets_side_by_side_are_not_deep(self) -> None:
        value: list[Any] = [[{}, []]] * 1000
        assert decode(encode(value)) == value

    def test_brackets_in_strings_do_not_count(self) -> None:
        value = ["[" * 1000]
        assert decode(encode(value)) == value

    def test_what_was_written_here_may_be_deeper(self) -> None:
        value = [{"tool_calls": [{"arguments": nested(MAX_DEPTH)}]}]
        with pytest.raises(ValueError, match="deep"):
            decode(encode(value))
        assert decode(encode(value), max_depth=MAX_DEPTH + 10) == value


class TestWriting:
    @given(JSON | TEXT)
    @example({"\ud800": "\udc00", "a\ud83d": ["\ude00", {"\ud83d\ude00": None}]})
    @example(("\ud800", ("\udfff",)))
    def test_it_never_fails_on_a_string(self, value: Any) -> None:
        written = encode(value)
        again = decode(written)
        assert encode(again) == written
        if "\\ud" not in json.dumps(value):
            assert outcome(decode, written) == repr(value)

    def test_halves_of_pairs_are_replaced_and_pairs_joined(self) -> None:
        assert encode(["a\ud83d", "\ud83d\ude00"]) == '["a\ufffd","😀"]'.encode()
        assert encode({"\ud83d": 1}) == '{"\ufffd":1}'.encode()

    def test_it_is_compact(self) -> None:
        assert encode({"a": [1, "é"], "b": None}) == '{"a":[1,"é"],"b":null}'.encode()

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_what_json_does_not_have_is_null(self, value: float) -> None:
        assert encode({"a": [value]}) == b'{"a":[null]}'
        assert encode({"a": [value, "\ud83d"]}) == '{"a":[null,"\ufffd"]}'.encode()


class TestSurrogates:
    @given(st.text(st.characters()))
    def test_only_halves_change(self, text: str) -> None:
        clean = without_surrogates(text)
        clean.encode()
        assert without_surrogates(clean) == clean
        try:
            text.encode()
        except UnicodeEncodeError:
            assert clean == "".join(map(chr, _replaced(text)))
        else:
            assert clean == text

    def test_pairs_are_joined(self) -> None:
        assert without_surrogates("a\ud83d\ude00b\ude00\ud83d") == "a😀b\ufffd\ufffd"


def _replaced(text: str) -> list[int]:
    """A second way to say it: a high half before a low one is a character, any other half is none."""
    found: list[int] = []
    for code in map(ord, text):
        if 0xDC00 <= code <= 0xDFFF and found and 0xD800 <= found[-1] <= 0xDBFF:
            found[-1] = 0x10000 + ((found[-1] - 0xD800) << 10) + (code - 0xDC00)
        else:
            found.append(code)
    return [0xFFFD if 0xD800 <= code <= 0xDFFF else code for code in found]


@pytest.mark.parametrize("depth", [300, 900, 5000])
def test_what_is_nested_too_deeply_is_not_written(depth: int) -> None:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    with pytest.raises(ValueError, match=r"."):
        encode(value)


class TestWhatAModelWrote:
    @given(VALUES_WITH_CONTROLS)
    def test_control_characters_in_values_are_read_as_if_they_were_escaped(self, value: Any) -> None:
        escaped = json.dumps(value, ensure_ascii=False)
        text = CONTROL_ESCAPE.sub(
            lambda found: found[0][: -len(found[1])] + str(json.loads(f'"{found[1]}"')), escaped
        )
        written, decoded = decode_written(text)
        assert decoded == value
        assert decode(written) == value

    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ('{"a": "x"}', '{"a": "x"}'),
            ('{"a": "x\ny\t"}', '{"a": "x\\ny\\t"}'),
            ('["\r\n\x00\x1f"]', '["\\r\\n\\u0000\\u001f"]'),
            ('"\n"', '"\\n"'),
            ('{"a":\n"x\\"\n"\n}', '{"a":\n"x\\"\\n"\n}'),
            ('{"a\\n" : "\n", "b": 1}', '{"a\\n" : "\\n", "b": 1}'),
        ],
    )
    def test_its_text_is_json(self, text: str, written: str) -> None:
        assert decode_written(text) == (written, decode(written))

    @pytest.mark.parametrize(
        "text",
        [
            '{"a\n": 1}',
            '{"a": "x\n',
            '{"a": "x\n}',
            '{"a": "\n",}',
            '{"a": \x00}',
            '{\x0b"a": "\n"}',
            '["\\\n"]',
        ],
    )
    def test_nothing_else_is_read_over(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"line|character|EOF|trailing|expected"):
            decode_written(text)
