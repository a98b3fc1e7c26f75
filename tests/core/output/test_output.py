from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, TypeAdapter

from finalturn._core.output import Answer, Output, Rejection, adapter_shape, model_shape, pydantic_output
from finalturn._core.output import reasons as _reasons


def of(form: Any) -> Output[Any]:
    if isinstance(form, type(BaseModel)):
        return pydantic_output(model_shape(form), form.model_validate_json)
    adapter = TypeAdapter[Any](form)
    return pydantic_output(adapter_shape(adapter), adapter.validate_json)


class Ticket(BaseModel):
    id: int
    note: str = ""


class Weather(BaseModel):
    weather: str | None = None
    degrees: int | None = Field(None, alias="deg")


class WeatherByName(Weather):
    model_config = ConfigDict(populate_by_name=True)


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Numbers(RootModel[list[int]]):
    pass


class Node(BaseModel):
    name: str
    kids: list[Node] = []


TICKET = of(Ticket)


@pytest.mark.parametrize(
    "text", ['{"id":1}', ' {"id": 1}\n', '```json\n{"id":1}\n```', '{"id":1,"made up":[{}]}', '{"id":"1"}']
)
def test_reuse_takes_a_whole_valid_answer(text: str) -> None:
    verdict = TICKET.reuse(text)
    assert isinstance(verdict, Answer)
    assert verdict.value == Ticket(id=1)
    assert verdict.json == text.removeprefix("```json").removesuffix("```").strip()


@pytest.mark.parametrize(
    "text",
    [
        'So: {"id":1}',
        '{"id":1} is it',
        '{"id":1}{"id":1}',
        '{"id":1',
        'think</think>{"id":1}',
        "Only prose",
        'So:\n```json\n{"id":1}\n```',
        '[{"id":1}]',
        '{"id":"x"}',
        '{"id":NaN}',
        "[" * 100_000,
        '{"id":' + "9" * 5000 + "}",
    ],
)
def test_reuse_takes_nothing_less(text: str) -> None:
    assert isinstance(TICKET.reuse(text), Rejection)


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_blank_text_is_empty(text: str) -> None:
    assert TICKET.reuse(text) == TICKET.extract(text) == _reasons.EMPTY


@pytest.mark.parametrize(
    ("form", "text", "reused"),
    [
        (Weather, '{"weather":"sunny"}', True),
        (Weather, '{"weather":null}', True),
        (Weather, '{"deg":1,"other":2}', True),
        (Weather, '{"city":"Paris"}', False),
        (Weather, "{}", False),
        (Weather, '{"degrees":1}', False),
        (WeatherByName, '{"degrees":1}', True),
        (Weather | None, "null", False),
        (Ticket | None, "null", False),
        (Ticket | None, '{"id":1}', True),
        (Weather | list[int], "[]", False),
        (Weather | list[int], "[1]", True),
        (Anything, '{"a":1}', True),
        (Anything, "{}", False),
        (dict[str, int], "{}", False),
        (dict[str, int], '{"a":1}', True),
        (list[int], "[]", False),
        (list[int], "[0]", True),
        (Numbers, "[]", False),
        (Numbers, "[0]", True),
        (str, '""', False),
        (str, '" "', True),
        (str, "prose", False),
        (int, "0", True),
        (float, "0.0", True),
        (bool, "false", True),
        (None, "null", False),
        (Any, "null", False),
        (Any, "{}", False),
        (Any, '{"a":1}', True),
    ],
)
def test_reuse_takes_no_answer_that_says_nothing(form: Any, text: str, reused: bool) -> None:
    output = of(form)
    assert isinstance(output.reuse(text), Answer) == reused
    if not reused and text != "prose":
        # Where an answer was asked for, it counts.
        assert isinstance(output.extract(text), Answer)


def test_reuse_says_why_not() -> None:
    assert of(Weather).reuse('{"other": 1}') == _reasons.NO_DECLARED_KEY
    assert of(Weather).reuse("{}") == _reasons.EMPTY
    assert of(list[int]).reuse("[]") == _reasons.EMPTY


@pytest.mark.parametrize(
    "text",
    [
        '{"id":1}',
        '```\n{"id":1}\n```',
        'So: {"id":1}',
        'So:\n```json\n{"id":1}\n```\nBut not {"id":2}.',
        '{"id":1}{"id":1}',
        '<think>{"id":2}</think>{"id":1}',
        'internal\n</think>{"id":1}',
        'The interval [1, 2) gives {"id":1}',
    ],
)
def test_extract_finds_the_one_value(text: str) -> None:
    assert TICKET.extract(text) == Answer('{"id":1}', Ticket(id=1))


@pytest.mark.parametrize(
    "text",
    [
        '{"id":1}{"id":2}',
        '{"id":1',
        '{"id":1,"note":"x',
        '[{"id":1}]',
        'So: [{"id":1}]',
        "prose",
        '{"note":{"id":1}}',
        '{"id":oops,"note":{"id":1}}',
        '{"id":1,"note":"\\ud83d"}',
        '```json\n{"id":1}\n```\n```json\n{"id":2}\n```',
    ],
)
def test_extract_never_picks_repairs_or_takes_apart(text: str) -> None:
    assert isinstance(TICKET.extract(text), Rejection)


def test_no_inner_node_stands_in_for_a_broken_tree() -> None:
    tree = of(Node)
    text = '{"name":"root","kids":[{"name":"a"},{"name":"b"}]}'
    assert isinstance(tree.extract(text), Answer)
    for cut in range(len(text)):
        assert isinstance(tree.extract(text[:cut]), Rejection)
        assert isinstance(tree.extract(text[:cut] + text[cut + 1 :]), Rejection) or text[cut].isalpha()


def test_a_value_that_was_found_but_does_not_validate_says_why() -> None:
    rejection = TICKET.extract('So: {"id":"SECRET"}')
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "the answer does not match the schema: int_parsing at id"
    assert "SECRET" in rejection.feedback


@given(
    number=st.integers(),
    note=st.text(alphabet='`{}[]"\\\n </think>é', max_size=20),
    before=st.text(alphabet="ab .\n"),
)
def test_every_answer_is_found_whole_fenced_and_in_prose(number: int, note: str, before: str) -> None:
    text = json.dumps({"id": number, "note": note})
    ticket = Ticket(id=number, note=note)
    assert TICKET.reuse(text) == TICKET.extract(text) == Answer(text, ticket)
    assert TICKET.reuse(f"```json\n{text}\n```") == Answer(text, ticket)
    if "</think>" not in note:
        assert TICKET.extract(f"{before}{text}{before}") == Answer(text, ticket)
        assert TICKET.extract(f"{before}\n````\n{text}\n````\n{before}") == Answer(text, ticket)


@given(
    text=st.text() | st.text(alphabet='{}[]"`:,\\ \nid1a</think>'),
    form=st.sampled_from([Ticket, Weather, str, int, Any]),
)
def test_no_text_raises(text: str, form: Any) -> None:
    output = OUTPUTS[form]
    assert isinstance(output.reuse(text), (Answer, Rejection))
    assert isinstance(output.extract(text), (Answer, Rejection))


OUTPUTS: dict[Any, Output[Any]] = {form: of(form) for form in (Ticket, Weather, str, int, Any)}


def test_validation_is_asked_once() -> None:
    asked: list[int] = []

    def note(value: int) -> int:
        asked.append(value)
        return value

    output = of(dict[str, Annotated[int, AfterValidator(note)]])
    output.reuse('{"a":1}')
    output.extract('So {"a":2} {"a":2}')
    assert asked == [1, 2]
