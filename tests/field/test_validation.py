"""Answers that are, or are not, the object: validation, JSON text and schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StrictBool, TypeAdapter, field_validator

from finalturn import Capabilities, ConfigurationError, Message, StructuredOutputConfig, tool
from finalturn._core.type_guards import is_array, is_dict
from finalturn.sessions import InMemorySessions
from tests.contract._play import KINDS, Play
from tests.contract._scenes import COMBINED, FINAL
from tests.field._wire import DRIVERS, STOP, TOOLS, play, prose, sent, tc, told

ASIDE = StructuredOutputConfig(final_turn_only=True, native=False)
parametrize_driver = pytest.mark.parametrize("driver", DRIVERS)


class Check(BaseModel):
    passed: StrictBool


@pytest.mark.parametrize("config", [FINAL, None], ids=["final", "default"])
@parametrize_driver
def test_an_answer_that_is_always_wrong_is_asked_for_a_few_times(config: Any, driver: str) -> None:
    """123, 124: the budget is its own."""
    wrong = prose('{"passed":"true"}')
    first = [prose("Hi.")] if config else []
    observed = play(
        *first, wrong, wrong, wrong, response_format=Check, config=config, max_iterations=1, driver=driver
    )
    result = observed.result
    assert (result.structured_status, result.model_calls) == ("validation_failed", 3 + len(first))
    assert (result.structured_error or "").endswith("bool_type at passed")


def test_each_retry_is_as_long_as_the_last() -> None:
    """123: the context does not grow with the attempts."""
    wrong = prose('{"passed":"true"}')
    config = StructuredOutputConfig(final_turn_only=True, max_validation_retries=5)
    observed = play(prose("Hi."), *[wrong] * 6, response_format=Check, config=config)
    assert len({len(body) for body in observed.requests[2:]}) == 1


@parametrize_driver
def test_a_corrected_answer_is_taken(driver: str) -> None:
    """126, 128: with a loop answer before it, and in a stream."""
    observed = play(
        prose("Hi."),
        prose('{"passed":', '"true"}'),
        prose('{"passed":', "true}"),
        response_format=Check,
        config=FINAL,
        driver=driver,
    )
    assert observed.result.parsed == Check(passed=True)
    assert observed.content == "Hi."


def failing_once(error: BaseException) -> type[BaseModel]:
    """A model whose validator fails the first time."""
    failures = [error]

    class Once(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def check(cls, value: int) -> int:
            if failures:
                raise failures.pop()
            return value

    return Once


@pytest.mark.parametrize(
    ("make", "kind", "driver"),
    [
        *((ValueError, kind, driver) for kind in KINDS for driver in ("stream", "run")),
        *((make, KINDS[0], "run") for make in (AssertionError, KeyError, ZeroDivisionError, RuntimeError)),
    ],
)
def test_a_validator_that_fails_once_asks_again_the_same_everywhere(
    make: Callable[[str], Exception], kind: str, driver: str
) -> None:
    """127."""
    once = failing_once(make("a secret"))
    observed = Play(driver, kind)('{"n": 1}', '{"n": 2}', response_format=once)
    result = observed.result
    assert (result.structured_status, result.content, result.model_calls) == ("ok", '{"n": 2}', 2)


class Code(BaseModel):
    a: str


TICKS = 'use ```py\nx``` and `print` and {"a": "no"}'
ANSWER = json.dumps({"a": TICKS})


class TestFences:  # 129
    @pytest.mark.parametrize(
        "text",
        [
            ANSWER,
            f"```json\n{ANSWER}\n```",
            f"```\n{ANSWER}\n```",
            f"````json\n{ANSWER}\n````",
            f"Here it is:\n````\n{ANSWER}\n````\nAnything else?",
            f"Here it is:\n```json\n{ANSWER}\n```",
            f"Here it is: {ANSWER} Anything else?",
        ],
    )
    @pytest.mark.parametrize("config", [FINAL, None], ids=["final", "default"])
    def test_ticks_in_a_string_end_nothing(self, text: str, config: Any) -> None:
        first = [prose("Hi.")] if config else []
        result = play(*first, prose(text), response_format=Code, config=config).result
        assert result.parsed == Code(a=TICKS)
        assert result.content == ANSWER


class TestSeveralValues:  # 131
    @pytest.mark.parametrize(
        "text", ['{"a":"1"}{"a":"1"}', '{"a":"1"}\n{"a":"1"}', '{"a":"1"} or {"a": "1"}']
    )
    def test_the_same_again_is_one(self, text: str) -> None:
        result = play(prose("Hi."), prose(text), response_format=Code, config=FINAL).result
        assert (result.parsed, result.model_calls) == (Code(a="1"), 2)

    @pytest.mark.parametrize("text", ['{"a":"1"}{"a":"2"}', '{"a":"1"} or {"a":"2"}', '{"a":"1"}{"a":1}'])
    def test_different_ones_are_no_answer(self, text: str) -> None:
        result = play(
            prose("Hi."), prose(text), prose('{"a":"3"}'), response_format=Code, config=FINAL
        ).result
        assert (result.parsed, result.model_calls) == (Code(a="3"), 3)


@tool
def echo(text: str) -> str:
    """Says it again."""
    return text


@tool
def half(order: str) -> str:
    """Returns half of a character."""
    return f"{order}\ud83d"


def delta(raw: bytes) -> bytes:
    return b'data: {"choices":[{"index":0,"delta":{"content":"' + raw + b'"}}]}\n\n'


class TestHalvesOfSurrogatePairs:  # 133
    @pytest.mark.parametrize(
        ("pieces", "text"),
        [
            ([rb"a\ud83d", rb"\ude00b"], "a😀b"),
            ([rb"a\ud83d"], "a\ufffd"),
            ([rb"\ude00a"], "\ufffda"),
            ([rb"\ud83d", rb"\ud83d\ude00"], "\ufffd😀"),
            ([rb"\ud83d", b"x"], "\ufffdx"),
        ],
    )
    @parametrize_driver
    def test_in_text_they_are_joined_or_replaced_and_can_be_stored(
        self, pieces: list[bytes], text: str, driver: str
    ) -> None:
        sessions = InMemorySessions()
        body = b"".join(map(delta, pieces)) + STOP
        observed = play(body, sessions=sessions, session="s", driver=driver)
        assert observed.content == observed.result.content == text
        assert sessions.load("s").messages[-1].content == text
        json.dumps([m.to_dict() for m in observed.result.messages], ensure_ascii=False).encode()

    def test_in_arguments_and_results_they_are_replaced(self) -> None:
        halves = tc(0, "a", "echo", '{"text":"x\\ud83d"}') + tc(1, "b", "half", '{"order":"A"}') + TOOLS
        whole = tc(0, "a", "echo", '{"text":"x\\ud83d\\ude00"}') + TOOLS
        observed = play(halves, whole, prose("ok"), tools=[echo, half])
        broken, returned, joined = told(observed)
        # Half a character cannot be written as JSON: such arguments are malformed.
        assert broken.tool_result is None and "not valid JSON" in broken.content
        assert (returned.tool_result, joined.tool_result) == ("A\ufffd", "x😀")

    def test_in_an_answer_they_make_it_invalid(self) -> None:
        good = prose('{"a":"ok"}')
        for text in ('{"a":"\\ud83d"}', '{"\\ud83d":1,"a":"x"}'):
            result = play(prose("Hi."), prose(text), good, response_format=Code, config=FINAL).result
            assert (result.parsed, result.model_calls) == (Code(a="ok"), 3)
        joined = play(
            prose("Hi."), prose('{"a":"\\ud83d\\ude00"}'), response_format=Code, config=FINAL
        ).result
        assert joined.parsed == Code(a="😀")

    def test_in_what_a_person_wrote_they_can_be_sent(self) -> None:
        given = [Message.assistant("before \udc00"), Message.user("hi \ud83d")]
        observed = play(prose("ok"), given=given, system_prompt="be \ud83d", context=["now \ud83d"])
        contents = [message["content"] for message in sent(observed)["messages"]]
        assert contents == ["be \ufffd", "before \ufffd", "now \ufffd", "hi \ufffd"]


class Big(BaseModel):
    id: int


@parametrize_driver
def test_large_numbers_stay_exact_in_answers(driver: str) -> None:
    """135."""
    text = '{"id":9007199254740993}'
    result = play(prose(text), response_format=Big, config=FINAL, driver=driver).result
    assert (result.parsed, result.content) == (Big(id=9007199254740993), text)
    again = [Message.from_dict(json.loads(json.dumps(m.to_dict()))) for m in result.messages]
    assert again[-1].structured == text


@pytest.mark.parametrize(
    "text",
    [
        '{"id":' + "9" * 5000 + "}",
        '{"id":' + "[" * 100_000,
        "[" * 300 + "]" * 300,
        '{"id":NaN}',
        '{"id":1e999}',
    ],
)
def test_what_cannot_be_read_is_invalid_and_no_other_error(text: str) -> None:
    """135."""
    result = play(prose("Hi."), prose(text), prose('{"id":1}'), response_format=Big, config=FINAL).result
    assert (result.parsed, result.model_calls) == (Big(id=1), 3)


class Axis(BaseModel):
    unit: str


class Chart(BaseModel):
    """140: two fields of one model."""

    x: Axis
    y: Axis


class Open(BaseModel):
    """137."""

    model_config = ConfigDict(extra="allow")
    a: int


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Pet(BaseModel):
    """138."""

    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Node(BaseModel):
    """141."""

    name: str
    kids: list[Node] = []


class Table(BaseModel):
    """136."""

    cells: dict[str, int]


class Pair(BaseModel):
    """143."""

    pair: tuple[int, str]


SCHEMAS: dict[str, tuple[type[BaseModel], str, str]] = {
    "a dictionary": (Table, '{"cells":{"a":1}}', '{"cells":{"a":"x"}}'),
    "extra keys": (Open, '{"a":1,"b":2}', '{"b":2}'),
    "a discriminated union": (Pet, '{"pet":{"kind":"cat","lives":9}}', '{"pet":{"kind":"cow","lives":9}}'),
    "one model twice": (Chart, '{"x":{"unit":"s"},"y":{"unit":"m"}}', '{"x":{"unit":"s"}}'),
    "a recursive model": (Node, '{"name":"a","kids":[{"name":"b"}]}', '{"name":"a","kids":[{}]}'),
    "a tuple": (Pair, '{"pair":[1,"a"]}', '{"pair":["a",1]}'),
}


def strict_problems(schema: Any, path: str = "") -> list[str]:
    """What a strict schema mode would refuse, as far as the cases go."""
    if is_array(schema):
        return [problem for at, one in enumerate(schema) for problem in strict_problems(one, f"{path}[{at}]")]
    if not is_dict(schema):
        return []
    found = [word for word in ("oneOf", "discriminator", "prefixItems", "default") if word in schema]
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            found.append("is open")
        if sorted(schema.get("required", [])) != sorted(schema.get("properties", {})):
            found.append("is not all required")
    found = [f"{path}: {problem}" for problem in found]
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            found += [problem for name in value for problem in strict_problems(value[name], f"{path}/{name}")]
        elif key not in ("required", "enum", "const"):
            found += strict_problems(value, f"{path}/{key}")
    return found


@pytest.mark.parametrize("name", SCHEMAS)
class TestSchemas:  # 136, 137, 138, 140, 141, 143
    def test_what_is_sent_is_strict_only_where_a_strict_server_takes_it(self, name: str) -> None:
        model, good, _ = SCHEMAS[name]
        only = Capabilities(native_schema=True)
        observed = play(prose("Hi."), prose(good), response_format=model, config=FINAL, capabilities=only)
        asked = sent(observed)["response_format"]["json_schema"]
        assert isinstance(asked["strict"], bool)
        if asked["strict"]:
            assert strict_problems(asked["schema"]) == []
        assert observed.result.parsed == model.model_validate_json(good)

    @pytest.mark.parametrize("config", [FINAL, ASIDE, None], ids=["final", "prompt", "default"])
    @pytest.mark.parametrize("capabilities", [Capabilities(), COMBINED], ids=["plain", "native"])
    def test_answers_are_validated_here_whatever_was_sent(
        self, name: str, config: Any, capabilities: Capabilities
    ) -> None:
        model, good, bad = SCHEMAS[name]
        first = [prose("Hi.")] if config else []
        observed = play(
            *first, prose(bad), prose(good), response_format=model, config=config, capabilities=capabilities
        )
        assert observed.result.parsed == model.model_validate_json(good)
        assert len(observed.requests) == len(first) + 2


def test_a_type_without_a_schema_is_refused_at_construction() -> None:
    from finalturn import Agent
    from finalturn.providers import Scripted

    with pytest.raises(ConfigurationError):
        Agent(Scripted("x"), response_format=TypeAdapter(Callable[[], int]))


class Optional(BaseModel):
    title: str | None = None
    city: str | None = None


@parametrize_driver
def test_a_json_sample_that_a_person_asked_for_is_no_answer(driver: str) -> None:
    """145: without a declared key it is not reused, and no bubble is retracted."""
    observed = play(
        prose('{"weather":"sunny"}'),
        prose('{"city":"Oslo"}'),
        response_format=Optional,
        config=FINAL,
        driver=driver,
    )
    assert observed.result.parsed == Optional(city="Oslo")
    assert observed.content == '{"weather":"sunny"}'
    if observed.seen is not None:
        assert observed.events == ["structured_synthesis_start"]
