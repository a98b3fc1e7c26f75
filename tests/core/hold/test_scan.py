"""The grammar that held blocks are read with."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn._core.hold.scan import IncrementalScan, Inner, starts
from finalturn._core.json_text import decode_written
from finalturn._core.output.scan import Reading
from finalturn._core.output.scan import scan as scan_whole

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)
ROOTS = frozenset("{[")
TOKENS = st.sampled_from([*'{}[],: \n"\\01-.e5', '"a"', "\\u0041", "\\ud8", "true", "fals", "null", "E+"])


def scan(
    text: str, *, cut: bool = False, wanted: frozenset[str] = frozenset()
) -> tuple[IncrementalScan, int]:
    """Read a text, whole or a character at a time; where did reading stop?"""
    reader = IncrementalScan(wanted, ROOTS)
    if not cut:
        return reader, reader.feed(text, 0, len(text))
    at = 0
    while reader.outcome == "open" and at < len(text):
        at = reader.feed(text, at, at + 1)
    return reader, at


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_a_value_closes_where_it_ends(value: object, indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for cut in (False, True):
        reader, stop = scan(text + " ", cut=cut)
        assert (reader.outcome, stop) == ("closed", len(text))


NUMBER_GOES_ON = tuple("0123456789.eE+-")


def parses(text: str) -> bool:
    try:
        decode_written(text)
    except ValueError:
        return False
    return True


@given(st.lists(TOKENS, max_size=12).map("".join), st.booleans())
@example('"\\u12', True)
@example('{"a":1}}', False)
@example('["\\ud800"]', False)
def test_it_accepts_what_the_parser_accepts(text: str, cut: bool) -> None:
    reader, stop = scan(text + " ", cut=cut)
    if reader.outcome == "closed":
        # Half a pair of surrogates and 1e999 are grammatical, and no values.
        assert parses(text[:stop]) or "\\ud8" in text or "e" in text.lower()
    else:
        # What goes on with a character of a number may be broken behind a whole one: "5." is no value.
        ends = [end for end in range(len(text) + 1) if text[end : end + 1] not in NUMBER_GOES_ON]
        assert not any(parses(text[:end]) for end in ends)


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("x", 0),
        ("]", 0),
        ("{name}", 1),
        ("{,", 1),
        ("[,", 1),
        ("[}", 1),
        ("{]", 1),
        ("[link](x)", 1),
        ("[note]", 2),
        ("[trust]", 4),
        ("[1 2]", 3),
        ("[1,]", 3),
        ("[01]", 2),
        ("[-a]", 2),
        ("[1.]", 3),
        ("[1.5.]", 4),
        ("[1ee]", 3),
        ("[1e+]", 4),
        ("[1e5.]", 4),
        ("[+1]", 1),
        ("[NaN]", 1),
        ("[Infinity]", 1),
        ("[-Infinity]", 2),
        ("[truex]", 5),
        ('{"a"}', 4),
        ('{"a",', 4),
        ('{"a":}', 5),
        ('{"a":1,}', 7),
        ('{"a":1]', 6),
        ('{"a":1 "b"', 7),
        ("{'a':1}", 1),
        ('{"a\n":1}', 3),
        ('{"a\x1f":1}', 3),
        ('{"a\\x', 4),
        ('{"a\\u00g', 7),
        ('{"a":1,1', 7),
        ('{"a":"\\\n"}', 7),
        ("{\u00a0}", 1),
    ],
)
def test_it_breaks_at_the_first_character_that_cannot_be(text: str, stop: int) -> None:
    for cut in (False, True):
        reader, stopped = scan(text, cut=cut)
        assert (reader.outcome, stopped) == ("broken", stop)


@pytest.mark.parametrize("text", ["[" * 20_000 + "]" * 20_000, '{"a":' * 20_000 + "1" + "}" * 20_000])
def test_values_of_any_depth_are_read(text: str) -> None:
    reader, stop = scan(text)
    assert (reader.outcome, stop) == ("closed", len(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"name"', True),
        ('{"name', False),
        ('{"other":1,"name"', True),
        ('{ "n\\u0061me" :', True),
        ('{"\\u006e\\u0061\\u006D\\u0065"', True),
        ('{"caf\\u00e9"', True),
        ('{"caf\u00e9"', True),
        ('{"a\\/b"', True),
        ('{"quoted\\""', True),
        ('{"quoted"', False),
        ('{"\\ud83d\\ude00"', True),
        ('{"\\ud83d"', False),
        ('{"Name"', False),
        ('{"names"', False),
        ('{"x":"name"', False),
        ('{"x":{"name":1}', False),
        ('{"x":[{"name":1}]', False),
        ('{"x":{"name":1},"name"', True),
        ('[{"name":1}', False),
        ('"name"', False),
    ],
)
def test_a_wanted_key_of_the_root_is_found(text: str, found: bool) -> None:
    wanted = frozenset({"name", "caf\u00e9", "a/b", 'quoted"', "\U0001f600"})
    for cut in (False, True):
        reader, _ = scan(text, cut=cut, wanted=wanted)
        assert reader.has_wanted_key is found
        assert reader.outcome != "broken"


@pytest.mark.parametrize(
    "text",
    [
        *(
            f'{{"name":1,"a{slip}":2}}'
            for slip in ["\n", "\r\n\r\n", "\t", "\\'", "\\\n", "\\u12", "\\d", "\x00"]
        ),
        *(f'{{"name":1,"x":"a{slip}"}}' for slip in ["\\'", "\\\n", "\\u12", "\\u", "\\d\\u00zz"]),
        '{"name":1,}',
        '{"name":[1, ]}',
    ],
)
def test_slips_are_read_over_once_a_key_is_found(text: str) -> None:
    for cut in (False, True):
        reader, stop = scan(text + " ", cut=cut, wanted=frozenset({"name"}))
        assert (reader.outcome, stop) == ("closed", len(text))
        assert scan(text, cut=cut)[0].outcome == "broken"


@pytest.mark.parametrize("control", ["\n", "\r\n\r\n", "\t", "\x00", "\x1f"])
def test_the_string_of_a_value_may_hold_control_characters(control: str) -> None:
    for text in (f'{{"x":"a{control}"}}', f'["{control}b"]', f'"{control}"'):
        for cut in (False, True):
            reader, stop = scan(text + " ", cut=cut)
            assert (reader.outcome, stop) == ("closed", len(text))


def places(inner: list[Inner]) -> list[tuple[str, int, int, bool]]:
    return [(one.bracket, one.start, one.end, one.has_wanted_key) for one in inner]


def test_arrays_and_objects_inside_are_noted() -> None:
    text = '{"x": [{"name": 1}, {}], "y": {"name": {"z": [1'
    for cut in (False, True):
        reader, _ = scan(text, cut=cut, wanted=frozenset({"name"}))
        assert places(reader.closed) == [("[", 6, 23, False)]
        assert places(reader.opened) == [
            ("{", 0, 0, False),
            ("{", 30, 0, True),
            ("{", 39, 0, False),
            ("[", 45, 0, False),
        ]
        assert not reader.has_wanted_key


def test_what_can_be_no_root_does_not_count_as_closed() -> None:
    reader = IncrementalScan(frozenset({"name"}), frozenset("{"))
    text = '{"x": [{"name": 1}, {}]'
    reader.feed(text, 0, len(text))
    assert places(reader.closed) == [("{", 7, 18, True), ("{", 20, 22, False)]


@pytest.mark.parametrize(
    ("text", "keyed"),
    [("{}", True), ("[]", False), ("[1, null]", False), ('["a"]', True), ("[[1]]", True), ("[{}]", True)],
)
def test_what_prose_hardly_has_by_chance(text: str, keyed: bool) -> None:
    assert scan(text)[0].keyed is keyed


def test_the_outermost_may_be_given_up() -> None:
    reader, _ = scan('{"x": {}, "y": {"name": [{}, [', wanted=frozenset({"name"}))
    reader.give_up(1)
    assert reader.has_wanted_key
    assert places(reader.closed) == [("{", 25, 27, False)]
    assert [one.closed_before for one in reader.opened] == [0, 0, 1]
    reader.feed("]]}", 0, 3)
    assert reader.outcome == "closed"


def test_a_value_may_end_in_the_middle_of_the_text() -> None:
    reader = IncrementalScan(frozenset(), ROOTS)
    assert reader.feed('ab [1] {"c":2}', 3, 14) == 6
    assert reader.outcome == "closed"
    reader = IncrementalScan(frozenset(), ROOTS)
    assert reader.feed('{"abc":1}', 0, 4) == 4
    assert reader.feed('{"abc":1}', 4, 9) == 9
    assert reader.outcome == "closed"


def test_the_characters_that_each_kind_of_root_starts_with() -> None:
    assert starts(frozenset({"object", "array"})) == {"{", "["}
    assert starts(frozenset({"string", "boolean", "null"})) == {'"', "t", "f", "n"}
    assert starts(frozenset({"number"})) == frozenset("-0123456789")


ENDED = {"closed": Reading.WHOLE, "broken": Reading.BROKEN, "open": Reading.CUT}


@given(st.lists(TOKENS, max_size=12).map("".join) | JSON.map(json.dumps), st.booleans(), st.data())
def test_it_reads_the_grammar_that_whole_texts_are_read_with(
    text: str, cut: bool, data: st.DataObject
) -> None:
    # A number by itself may go on; within an array, what follows tells. The space at the end tells of a
    # number, a word and an escape that they do not go on.
    text = f"[{text[: data.draw(st.integers(0, len(text)))]} "
    reader, stop = scan(text, cut=cut)
    whole = scan_whole(text, 0)
    assert ENDED[reader.outcome] is whole.reading
    assert stop >= whole.end
    if reader.outcome == "closed":
        assert stop == whole.end
    else:
        assert len(reader.opened) == whole.depth
