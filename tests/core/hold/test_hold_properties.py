"""What holds of any text, in any pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.hold import JsonHold
from tests.core._hold_gate import Gate, array, either, mapping, optional, run, scalar, ticket

SENTINEL = "s3ntinel"

GATES = st.sampled_from([ticket, optional, mapping, array, either, scalar])
TOKENS = [
    *'{}[],: \n\r"`1x\\\ufeff\u00a0',
    "\n",
    "\r\n",
    "``",
    "```",
    "\n```\n",
    "```json",
    "````js",
    "\n{",
    "<a>",
    "</a>",
    "<a b=",
    "[A]",
    "[/A]",
    "~~~",
    "x",
    "\u7b54",
    '{"name": 1}',
]
KEYS = ['"name"', '{"name":', '"a":', "\\u006eame", "true"]
TEXTS = st.lists(st.sampled_from(TOKENS + KEYS), max_size=25).map("".join)


@st.composite
def pieces_of(draw: st.DrawFn, text: str) -> list[str]:
    """The text, cut anywhere."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(st.data(), TEXTS, GATES)
def test_cuts_change_nothing(data: st.DataObject, text: str, make: Callable[[], Gate]) -> None:
    whole = run(make(), [text])
    assert run(make(), text) == whole
    assert run(make(), data.draw(pieces_of(text))) == whole
    for cut in range(1, len(text)):
        assert run(make(), [text[:cut], text[cut:]]) == whole


@given(st.data(), TEXTS, GATES, st.integers(1, 30))
def test_cuts_change_nothing_at_the_limit(
    data: st.DataObject, text: str, make: Callable[[], Gate], limit: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finalturn._core.hold.candidate.LIMIT", limit)
        patch.setattr("finalturn._core.hold.hold.LIMIT", limit)
        patch.setattr("finalturn._core.hold.hold._AT_ONCE", 2 * limit)
        whole = run(make(), [text])
        assert run(make(), text) == whole
        assert run(make(), data.draw(pieces_of(text))) == whole


@given(TEXTS, GATES)
def test_what_is_shown_is_in_order(text: str, make: Callable[[], Gate]) -> None:
    rest = iter(text)
    assert all(character in rest for character in run(make(), text))


@given(st.data(), TEXTS)
def test_what_cannot_be_the_answer_is_shown_whole(data: st.DataObject, text: str) -> None:
    gate = Gate("object", "array", "number", required=["never"], accept=lambda _: False)
    assert run(gate, data.draw(pieces_of(text))) == text


@given(st.lists(st.text(st.sampled_from("ab \n\r\t.,:\"'}]\u00e9\u00a0\ufeff")), max_size=9), GATES)
def test_prose_waits_for_nothing(pieces: list[str], make: Callable[[], Gate]) -> None:
    hold = JsonHold(make())
    fed = shown = ""
    for piece in pieces:
        fed += piece
        shown += hold.feed(piece)
        assert fed.startswith(shown)
        assert not fed[len(shown) :].strip("\ufeff \n\r\t\u00a0")
    assert shown + hold.finish() == fed


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["a {", "{", '{"', "[", "<a>", "```"])
    | st.text(st.sampled_from('ab `{}[]"\\\n\u00e9,:')),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def written(draw: st.DrawFn, value: object) -> str:
    """JSON text of the value, in one of the ways that models write it; bare or in a fence."""
    text = json.dumps(
        value, indent=draw(st.sampled_from([None, None, 2, "\t"])), ensure_ascii=draw(st.booleans())
    )
    text = draw(st.sampled_from(["", "", "  "])) + text
    if draw(st.booleans()):
        info = draw(st.sampled_from(["", "json", "JSON", " json ", "jsonc a=b"]))
        ticks = draw(st.integers(3, 5))
        inline = draw(st.booleans())
        text = "`" * ticks + info + "\n" + text + ("" if inline else "\n") + "`" * draw(st.integers(ticks, 6))
    return text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))


@st.composite
def answers(draw: st.DrawFn) -> str:
    """An answer, or a failed attempt at one."""
    value: dict[str, object] = {}
    value |= draw(st.dictionaries(st.sampled_from(["x", "count", "a"]), VALUES, max_size=2))
    value["name"] = draw(st.sampled_from([SENTINEL, [SENTINEL], {"name": SENTINEL}, {SENTINEL: 1}]))
    keys = draw(st.permutations(sorted(value)))
    return draw(written({key: value[key] for key in keys}))


@st.composite
def other_text(draw: st.DrawFn) -> str:
    """Lines that hold no answer: prose, JSON of another kind, code."""
    kind = draw(st.sampled_from(["prose", "json", "code"]))
    if kind == "json":
        return draw(written({"other": draw(VALUES)})).strip()
    prose = draw(st.lists(st.text(st.sampled_from('ab {}[]"`:,'), max_size=9).map("A{}.".format), min_size=1))
    if kind == "code":
        return "\n".join(["```python", *prose, "```"])
    return "\n".join(prose)


SPACE = st.sampled_from(["\n", "\n\n", " \n", "\r\n\r\n", "\n \n"])


@given(st.data(), st.lists(st.tuples(SPACE, answers() | other_text()), max_size=5), SPACE)
def test_no_byte_of_an_answer_leaks_and_all_else_is_shown(
    data: st.DataObject, parts: list[tuple[str, str]], end: str
) -> None:
    text = expected = held = ""
    for space, part in parts:
        text += space + part
        held += space
        if SENTINEL in part:
            held = ""
        else:
            expected += held + part
            held = ""
    gate = Gate("object", required=["name"], accept=lambda _: False)
    assert run(gate, data.draw(pieces_of(text + end))) == expected + end


BREAKS = st.sampled_from(
    [
        ('"x": "line\n\nline"', "\n"),
        ('"x": "say \\\'so\\\'"', ""),
        ('"x": "say "so", once"', ""),
        ('"x": 1 "y": 2', ""),
        ("x: 1", ""),
        ("'x': 'it'", ""),
        ('"x": NaN', ""),
        ('"x": [1, {"y": 2}', "\n"),
        ('"x": 1], "y": [2', ""),
        ('"x": 1 // one', "\n"),
        ("...", ""),
        ("", ""),
    ]
)


@given(st.data(), BREAKS, st.booleans(), st.sampled_from([",", ",\n  ", ",\n\n  "]))
def test_no_byte_of_a_broken_attempt_leaks(
    data: st.DataObject, slip: tuple[str, str], fenced: bool, comma: str
) -> None:
    members = ['"name": 1', slip[0], f'"z": "{SENTINEL}"']
    text = "{" + (comma + slip[1]).join(members) + "}"
    if fenced:
        text = f"```json\n{text}\n```"
    assert run(ticket(), data.draw(pieces_of(f"Hi\n\n{text}\n\nBye"))) == "Hi\n\nBye"


class _Piece(NamedTuple):
    """A piece of an answer: its text, and what must be seen of it."""

    text: str
    seen: str


MARKS = st.sampled_from(
    ["", "", "1) ", "- ", "> ", "+ ", "x = ", "\u7b54\u6848\uff1a", "(", '"', "**", 'f"{x}" ']
)
WRAPPERS = st.sampled_from(
    [
        ("", ""),
        ("`", "`"),
        ("`` ", " ``"),
        ("```json ", " ```"),
        ("```json\n", "\n```"),
        ("```python\n", "\n```"),
        ("~~~\n", "\n~~~"),
        ("<output>", "</output>"),
        ("<out kind='a b'>\n", "\n</out>"),
        ("<|final|>", "<|/final|>"),
        ("[ANSWER]", "[/ANSWER]"),
        ("<a>\n```\n", "\n```\n</a>"),
    ]
)
LOOSE = st.sampled_from(
    [
        "{",
        "{name}",
        "{{ x }}",
        '{ "a" }',
        "{1, 2}",
        '{"a", "b"}',
        "\\frac{a}{b}",
        "a { color: red }",
        'open("{")',
        '{"',
        '{"x',
        '{"x": ',
        '{"x": "no end',
        '{"x": {"y": 1} oops',
        "a < b",
        "<b",
        "[1]",
        "[x](y)",
        "`code`",
        "it's",
        '"',
    ]
)


@st.composite
def _answer_piece(draw: st.DrawFn) -> _Piece:
    value: dict[str, object] = draw(st.dictionaries(st.sampled_from(["x", "count"]), VALUES, max_size=2))
    value["name"] = draw(st.sampled_from([SENTINEL, [SENTINEL], {"name": SENTINEL}]))
    indent = draw(st.sampled_from([None, None, 2]))
    text = json.dumps({key: value[key] for key in draw(st.permutations(sorted(value)))}, indent=indent)
    before, after = draw(WRAPPERS)
    mark = draw(MARKS)
    return _Piece(mark + before + text + after, mark.strip())


@st.composite
def _prose_piece(draw: st.DrawFn, number: int) -> _Piece:
    word = f"word{number}"
    text = draw(st.sampled_from(["{} ", " {}", "{}", "\n{}\n", "{}.\n\n"])).format(word)
    return _Piece(draw(LOOSE) + " " + text, word)


@given(st.data())
def test_an_answer_anywhere_is_hidden_and_all_words_are_shown(data: st.DataObject) -> None:
    """Whatever stands around it: other braces, quotes that never close, marks and markup."""
    pieces: list[_Piece] = []
    for number in range(data.draw(st.integers(1, 5))):
        pieces.append(data.draw(_prose_piece(number)))
        pieces.append(data.draw(_answer_piece()))
    text = "".join(piece.text for piece in pieces)
    gate = Gate("object", required=["name"], accept=lambda _: False)
    shown = run(gate, [text])
    assert SENTINEL not in shown
    rest = iter(text)
    assert all(character in rest for character in shown)
    at = 0
    for piece in pieces:
        at = shown.index(piece.seen, at) + len(piece.seen)
    assert run(gate, text) == shown
    assert run(gate, data.draw(pieces_of(text))) == shown


@given(st.lists(st.sampled_from(["x", "y"]), max_size=3), LOOSE, VALUES)
def test_other_objects_in_a_line_are_shown_as_written(words: list[str], loose: str, value: object) -> None:
    other = json.dumps({"other": value})
    text = f"{' '.join(words)} {other} {loose} b {other}, c"
    gate = Gate("object", required=["name"], accept=lambda _: False)
    assert run(gate, [text]) == text
    assert run(gate, text) == text
