"""The object that a model writes, read as it grows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from finalturn._core import json_text
from finalturn._core.output import Output, as_object
from finalturn._core.output import growing as module
from finalturn._core.output.growing import GrowingObject
from finalturn._core.output.partial import extends
from finalturn._core.output.scan import ScannedValue, scan
from finalturn._response_format import output_of


class Line(BaseModel):
    name: str
    count: int


class Order(BaseModel):
    kind: Literal["order", "return"]
    note: str
    lines: list[Line]
    paid: bool | None = None
    price: float = 0


ORDER = output_of(Order)
EITHER: Output[Any] = as_object(output_of(Order | Line))
NAMES = as_object(output_of(TypeAdapter(list[str])))


def grown(output: Output[Any], *pieces: str) -> list[Any]:
    """All that is shown of a text."""
    growing = GrowingObject(output)
    return [value for piece in pieces for value in growing.feed(piece)]


def last(text: str, output: Output[Any] = ORDER) -> Any:
    """What is shown of the beginning of a text; ``None`` for nothing."""
    return next(iter(grown(output, text)), None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # A string may be shown while it grows, and an enum may not.
        ('{"note": "by', {"note": "by"}),
        ('{"kind": "ord', None),
        ('{"kind": "order"', {"kind": "order"}),
        ('{"kind": "train", "note": "by"', {"note": "by"}),
        # Escapes that are cut, and halves of pairs.
        ('{"note": "by\\', {"note": "by"}),
        ('{"note": "by\\\\', {"note": "by\\"}),
        ('{"note": "by\\\\\\', {"note": "by\\"}),
        ('{"note": "by\\n', {"note": "by\n"}),
        ('{"note": "by\\u00e', {"note": "by"}),
        ('{"note": "by\\u00e9', {"note": "by\u00e9"}),
        ('{"note": "by\\ud83d', {"note": "by"}),
        ('{"note": "by\\ud83d\\ude0', {"note": "by"}),
        ('{"note": "by\\ud83d\\ude00', {"note": "by\U0001f600"}),
        ('{"note": "by\\\\ud83d', {"note": "by\\ud83d"}),
        ('{"note": "by\nthe', {"note": "by\nthe"}),
        ('{"note": "by\nthe", "kind": "order", "', {"note": "by\nthe", "kind": "order"}),
        # Numbers and words, when nothing of them may follow.
        ('{"price": 1', None),
        ('{"price": 12.', None),
        ('{"price": 12.5e', None),
        ('{"price": -', None),
        ('{"price": 12,', {"price": 12}),
        ('{"price": 12 ', {"price": 12}),
        ('{"price": 12}', {"price": 12}),
        ('{"paid": tru', None),
        ('{"paid": true', None),
        ('{"paid": true,', {"paid": True}),
        ('{"paid": null,', {"paid": None}),
        ('{"note": "by", "paid": nul', {"note": "by"}),
        # Keys are not values.
        ('{"note": "by", "pai', {"note": "by"}),
        ('{"kind": "order", "paid', {"kind": "order"}),
        ('{"kind": "order", "paid":', {"kind": "order"}),
        ('{"kind": "order", "\\u006eo', {"kind": "order"}),
        # Nothing is known yet.
        ("", None),
        ("{", None),
        ('{"', None),
        ('{"lines": [{"', None),
        ("{}", None),
        # Parts within parts.
        ('{"lines": [{"name": "a"', {"lines": [{"name": "a"}]}),
        ('{"lines": [{"name": "a", "count": 12}, {"count": 1', {"lines": [{"name": "a", "count": 12}]}),
        ('{"lines": [{"count": 12}, {"count": "x"', {"lines": [{"count": 12}]}),
        # What is not JSON.
        ('{"note": "by" x', None),
        ('{"note": "by", 12,', None),
        ('{"note": "by", "price": +', None),
        ('{"note": "by", "price": 1x', None),
        ('{"note": "by", "price": truth', None),
        ('{"note": "by", "price": NaN', None),
        ('{"note": "by", "price": 1e999, ', None),
        ('{"note": "\\ud83d x', None),
        ('{"note": "by\\x', None),
        ("[" * 300, None),
        # Where the answer stands.
        ('\n {"note": "by', {"note": "by"}),
        ('```json\n{"note": "by', {"note": "by"}),
        ('```\n{"note": "by"}\n```', {"note": "by"}),
        ('Here it is:\n```json\n{"note": "by', {"note": "by"}),
        ('Here it is: {"note": "by', {"note": "by"}),
        ('With {name}, {"na\nme"} and ["x" y] I mean {"note": "by', {"note": "by"}),
        ('With {"x" I mean {"note": "by', None),
        ('<think>{"note": "no"} or', None),
        ('<think>{"note": "no"}</think>{"note": "by', {"note": "by"}),
        ('{"note": "no"} or</think>\n```json\n{"note": "by', {"note": "by"}),
        ("No object.", None),
        ('["note"', None),
    ],
)  # fmt: skip
def test_what_is_shown_of_the_beginning_of_a_text(text: str, shown: Any) -> None:
    assert last(text) == shown


@pytest.mark.parametrize(
    ("output", "text", "shown"),
    [
        (NAMES, '{"answer": ["ada", "b', ["ada", "b"]),
        (NAMES, '{"answer": ["ada", 1', ["ada"]),
        (NAMES, '{"answer": ["ada"]}', ["ada"]),
        (NAMES, '{"answer": "ada', None),
        (NAMES, '{"ans', None),
        (NAMES, '{"other": 1', None),
        (NAMES, '["ada", "b', ["ada", "b"]),
        (NAMES, 'rows[0] or [1] are ["ada', ["ada"]),
        (as_object(output_of(TypeAdapter(dict[str, int]))), '{"a": 1, "b": 2,', {"a": 1, "b": 2}),
        (EITHER, '{"answer": {"name": "a', None),
        (EITHER, '{"answer": {"name": "a", "count": 1}}', {"name": "a", "count": 1}),
        (output_of(TypeAdapter(str)), '"by the', "by the"),
        (output_of(TypeAdapter(str)), "by the", None),
        (output_of(TypeAdapter(int)), "12", None),
        (output_of(TypeAdapter(Literal["a", "ab"])), '"a', None),
        (output_of({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}), '{"a": "x', {"a": "x"}),
    ],
)  # fmt: skip
def test_roots_that_are_no_plain_object(output: Output[Any], text: str, shown: Any) -> None:
    assert last(text, output) == shown


def test_each_value_is_the_one_before_it_with_more_of_it() -> None:
    text = (
        '{"kind": "order", "note": "by", "x": {"y": 1}, "lines": [{"name": "a", "count": 12}], "paid": true}'
    )
    shown = grown(ORDER, *text)
    assert shown == [
        {"kind": "order"},
        {"kind": "order", "note": "by"},
        {"kind": "order", "note": "by", "lines": [{"name": "a"}]},
        {"kind": "order", "note": "by", "lines": [{"name": "a", "count": 12}]},
    ]


@pytest.mark.parametrize(
    "more",
    [
        '", "note": "in the yard"}',  # the same key again
        '" or so, "kind": "order"}',  # it breaks
        '"} and {"note": "in the yard"}',  # it was complete
        '"}</think>{"note": "in the yard"}',  # it was thought aloud
    ],
)
def test_nothing_is_taken_back(more: str) -> None:
    assert grown(ORDER, '{"note": "by the', " door", *more) == [{"note": "by the"}, {"note": "by the door"}]


def test_the_text_is_read_again_when_it_has_grown_by_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(text: str, start: int) -> ScannedValue:
        read.append(len(text))
        return scan(text, start)

    monkeypatch.setattr(module, "scan", counted)
    text = json.dumps({"kind": "order", "note": "n" * 4000, "lines": [{"name": "a", "count": 1}] * 200})
    shown = grown(ORDER, *text)
    # Nine times, and again without the number or the word that it ends with.
    assert sum(read) <= 18 * len(text)
    assert len(shown) > 30
    assert sum(len(json_text.encode(value)) for value in shown) <= 10 * len(text)


def test_prose_that_looks_like_the_answer_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(text: str, start: int) -> ScannedValue:
        value = scan(text, start)
        read.append(value.end - start)
        return value

    monkeypatch.setattr(module, "scan", counted)
    text = '[[["a" b ' * 500
    assert grown(NAMES, text + '[["a" b', " n") == []
    assert len(read) > 500
    assert sum(read) <= 2 * 2 * len(text)


# What a schema can say, with a value that it takes.

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
Case = tuple[Mapping[str, Any], Any]


def scalars() -> st.SearchStrategy[Case]:
    return st.one_of(
        st.tuples(st.just({"type": "string"}), texts),
        st.tuples(st.just({"type": "string", "format": "color"}), texts),
        st.tuples(st.just({"type": "integer"}), st.integers(-(10**20), 10**20)),
        st.tuples(st.just({"type": "number"}), numbers),
        st.tuples(st.just({"type": "boolean"}), st.booleans()),
        st.tuples(st.just({"type": "null"}), st.none()),
        st.lists(texts, min_size=1, max_size=3).map(lambda words: ({"enum": words}, words[0])),
        st.tuples(st.just({}), st.none() | texts | numbers),
    )


def objects(parts: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    def of(members: dict[str, Case], extra: dict[str, Any]) -> Case:
        schema = {"type": "object", "properties": {key: case[0] for key, case in members.items()}}
        return schema, {**extra, **{key: case[1] for key, case in members.items()}}

    return st.builds(of, st.dictionaries(texts, parts, max_size=4), st.dictionaries(texts, texts, max_size=1))


def arrays(parts: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    def of(items: list[Case]) -> Case:
        schemas = [case[0] for case in items]
        return {"type": "array", **({"prefixItems": schemas} if items else {})}, [case[1] for case in items]

    return st.builds(of, st.lists(parts, max_size=4))


def choices(parts: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    def of(cases: list[Case], place: int, keyword: str) -> Case:
        return {keyword: [case[0] for case in cases]}, cases[place % len(cases)][1]

    keywords = st.sampled_from(["anyOf", "oneOf"])
    return st.builds(of, st.lists(parts, min_size=1, max_size=3), st.integers(0, 2), keywords)


def maps(parts: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    def of(case: Case, keys: list[str]) -> Case:
        return {"type": "object", "additionalProperties": case[0]}, dict.fromkeys(keys, case[1])

    return st.builds(of, parts, st.lists(texts, max_size=3))


cases = st.recursive(
    scalars(), lambda parts: objects(parts) | arrays(parts) | choices(parts) | maps(parts), max_leaves=12
).map(lambda case: ({"type": "object", "properties": {"root": case[0]}}, {"root": case[1]}))
cuts = st.lists(st.integers(1, 7), min_size=1)


def cut(text: str, lengths: list[int]) -> list[str]:
    """The text in pieces of these lengths, again and again."""
    pieces: list[str] = []
    while text:
        length = lengths[len(pieces) % len(lengths)]
        pieces.append(text[:length])
        text = text[length:]
    return pieces


@given(case=cases, lengths=cuts, ascii_only=st.booleans(), fence=st.booleans())
def test_of_a_valid_answer_only_beginnings_are_shown(
    case: Case, lengths: list[int], ascii_only: bool, fence: bool
) -> None:
    schema, value = case
    text = json.dumps(value, ensure_ascii=ascii_only)
    output = output_of(schema)
    shown = grown(output, *cut(f"```json\n{text}\n```" if fence else text, lengths))
    whole = json.loads(text)
    assert all(extends(one, whole) for one in shown)
    assert all(extends(one, other) and one != other for one, other in pairwise(shown))


def is_of_types(value: Any, schema: Any) -> bool:
    """Whether a value has no part of a wrong type: what is missing may be missing."""
    if "anyOf" in schema or "oneOf" in schema:
        return any(is_of_types(value, one) for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
    if "enum" in schema:
        return value in schema["enum"]
    kinds: dict[Any, Any] = {
        "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None),
        "object": dict, "array": list, None: object,
    }  # fmt: skip
    kind = schema.get("type")
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind not in ("boolean", None)):
        return kind == "integer" and isinstance(value, float) and value.is_integer()
    content: Any = value
    if kind == "object":
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        known = {key: properties.get(key, others) for key in content}
        return None not in known.values() and all(
            is_of_types(content[key], one) for key, one in known.items()
        )
    if kind == "array":
        return all(map(is_of_types, content, schema.get("prefixItems", ())))
    return True


@given(case=cases, other=cases, lengths=cuts, noise=st.text('{}[]",:0e-\\ tn', max_size=3), at=st.integers(0))
@example(case=({"properties": {"root": {"type": "string"}}, "type": "object"}, {"root": "x"}),
         other=({}, {"root": 1}), lengths=[1], noise="", at=0)  # fmt: skip
def test_of_an_answer_that_is_not_valid_no_value_of_a_wrong_type_is_shown(
    case: Case, other: Case, lengths: list[int], noise: str, at: int
) -> None:
    schema = case[0]
    text = json.dumps(other[1])
    place = at % (len(text) + 1)
    shown = grown(output_of(schema), *cut(text[:place] + noise + text[place:], lengths))
    assert all(is_of_types(one, schema) for one in shown)
    assert all(extends(one, other_one) for one, other_one in pairwise(shown))


@given(case=cases, lengths=cuts)
def test_the_vendors_object_makes_no_difference(case: Case, lengths: list[int]) -> None:
    schema = {"anyOf": [case[0]]}
    value = case[1]
    output = as_object(output_of(schema))
    text = json.dumps({"answer": value})
    shown = grown(output, *cut(text, lengths))
    assert all(extends(one, json.loads(text)["answer"]) for one in shown)
