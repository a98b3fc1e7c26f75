"""The arguments of a call, read from text."""

from __future__ import annotations

import pytest

from finalturn._core.call_arguments import CUT, NOT_AN_OBJECT, SEVERAL, read_arguments


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_blank_text_is_an_object_without_keys(text: str) -> None:
    assert read_arguments(text, cut=False) == ({}, None, None)
    assert read_arguments(text, cut=True) == ({}, None, CUT)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{}", {}),
        (' {"a": [1, {"b": null}]} ', {"a": [1, {"b": None}]}),
        ('{"id":9007199254740993}', {"id": 9007199254740993}),
        ('{"s":"\\ud83d\\ude00"}', {"s": "\U0001f600"}),
    ],
)
def test_an_object_is_read_exactly_and_keeps_its_text(text: str, arguments: dict[str, object]) -> None:
    assert read_arguments(text, cut=False) == (arguments, text, None)
    assert read_arguments(text, cut=True) == (arguments, text, None)


def test_a_line_break_in_a_string_is_read_as_if_it_were_escaped() -> None:
    assert read_arguments('{"a": "x\ny"}', cut=False) == ({"a": "x\ny"}, '{"a": "x\\ny"}', None)


@pytest.mark.parametrize(
    "text",
    [
        "secret", '{"a":', '{"confirm":tr', "{'a':1}", '{"a":1,}', "```json\n{}\n```", '\xa0{"a":1}',
        '{"a":NaN}', '{"a":1e999}', '{"a":-Infinity}', '{"a":"\\ud83d"}', '{"a":' + "9" * 5000 + "}",
        "[" * 100_000, '{"a":' * 100_000, '{"a":1}' + '{"a":' * 100_000,
        '{"a":1} secret', '{"a":1}{"a":', '{"a":1}[1]', '{}{"n":' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_anything_else_is_an_error_that_quotes_nothing(text: str) -> None:
    arguments, own, error = read_arguments(text, cut=False)
    assert (arguments, own) == ({}, None)
    assert error is not None
    assert "JSON" in error
    assert "secret" not in error
    assert "confirm" not in error
    assert len(error) < 200


def test_an_unparsable_text_of_a_cut_answer_is_cut() -> None:
    assert read_arguments('{"a":', cut=True) == ({}, None, CUT)


@pytest.mark.parametrize("text", ['"foo"', "[1]", "1", "null", "true"])
@pytest.mark.parametrize("cut", [True, False])
def test_a_value_that_is_no_object_is_not_taken(text: str, cut: bool) -> None:
    assert read_arguments(text, cut=cut) == ({}, None, NOT_AN_OBJECT)


class TestGlued:
    @pytest.mark.parametrize("between", ["", " ", "\n"])
    @pytest.mark.parametrize("times", [2, 3])
    def test_the_same_object_again_is_one_object(self, between: str, times: int) -> None:
        text = between.join(['{"a":{"b":"}{"}}'] * times)
        assert read_arguments(text, cut=False) == ({"a": {"b": "}{"}}, '{"a":{"b":"}{"}}', None)

    @pytest.mark.parametrize(
        "text", ['{"a":1}{"a":2}', '{"a":1}{}', '{}{"a":1}{}', '{"a":1}{"a":true}', '{"a":1}{"a":1}{"b":1}']
    )
    def test_different_objects_are_an_error(self, text: str) -> None:
        assert read_arguments(text, cut=False) == ({}, None, SEVERAL)

    @pytest.mark.parametrize("text", ['{}{"a":1}', '{} {}\n{"a":1}', '{}{"a":1}{"a":1}'])
    def test_an_empty_one_stands_for_what_follows(self, text: str) -> None:
        assert read_arguments(text, cut=False) == ({"a": 1}, '{"a":1}', None)

    @pytest.mark.parametrize(("cut", "error"), [(True, CUT), (False, "not valid JSON")])
    def test_but_not_for_half_of_it(self, cut: bool, error: str) -> None:
        found = read_arguments('{}{"a":', cut=cut)
        assert (found.arguments, found.text) == ({}, None)
        assert error in (found.error or "")

    def test_a_repeat_that_only_a_lenient_reader_takes_is_an_error(self) -> None:
        assert read_arguments('{"a":NaN}{"a":NaN}', cut=False) == ({}, None, SEVERAL)
