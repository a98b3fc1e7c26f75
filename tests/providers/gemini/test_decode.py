"""Bodies of generateContent answers, however they are cut, whatever they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.model import ModelEnd
from finalturn._core.result import Usage
from tests.providers._gemini_wire import call, event, read, record, stream, text, thought, tokens
from tests.providers._wire import DONE, Read

PROSE = [
    record(thought("hm"), text("Hé"), usage=tokens(7, 1)),
    record(text(" \U0001f600\u2028"), usage=tokens(7, 2)),
    record(text("!"), finish="STOP", usage=tokens(7, 3)),
]
CALLS = [
    record(text("Both: "), call("f", {"x": 1}, signature="s")),
    record(call("f", {"x": 2})),
    record(text(""), finish="STOP", usage=tokens(7, 3)),
]
ERROR = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
BLOCKED = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": tokens(4, 0)}
BODIES: dict[str, bytes] = {
    "prose": stream(*PROSE),
    "calls": stream(*CALLS),
    "line feeds": stream(*PROSE).replace(b"\r\n", b"\n"),
    "not escaped": event(record(text("é\U0001f600\u2029"), finish="STOP"), ascii_only=False),
    "cut pair": stream(record(text("\ud83d")), record(text("\ude00"), finish="STOP")),
    "blocked": stream(BLOCKED),
    "broken off": stream(PROSE[0]),
    "error": stream(PROSE[0], ERROR, PROSE[2]),
    "error in an array": stream(PROSE[0], [ERROR], PROSE[2]),
    "malformed": stream(CALLS[0], record(finish="MALFORMED_FUNCTION_CALL")),
    "array": json.dumps(PROSE, indent=1, ensure_ascii=False).encode(),
    "array of an error": json.dumps([ERROR], indent=1).encode(),
    "array that breaks off": json.dumps(PROSE[:1]).encode(),
    "cut array": json.dumps(PROSE).encode()[:-40],
    "document": json.dumps(record(thought("hm"), text("Hé"), call("f"), finish="STOP"), indent=1).encode(),
    "empty": b"",
}


def same(first: Read, second: Read) -> bool:
    """Equal, but for the identity of the failure."""
    return first._replace(failure=None) == second._replace(failure=None) and str(first.failure) == str(
        second.failure
    )


@pytest.mark.parametrize("name", BODIES)
def test_cuts_change_nothing(name: str) -> None:
    body = BODIES[name]
    whole = read(body)
    assert same(read(body, range(1, len(body))), whole)
    assert all(same(read(body, [at]), whole) for at in range(len(body)))


@given(st.sampled_from(list(BODIES)), st.lists(st.integers(0, 900), max_size=6))
def test_no_number_of_cuts_does(name: str, cuts: list[int]) -> None:
    body = BODIES[name]
    assert same(read(body, sorted(min(cut, len(body)) for cut in cuts)), read(body))


@pytest.mark.parametrize("name", ["prose", "line feeds", "array"])
def test_prose(name: str) -> None:
    got = read(BODIES[name])
    assert (got.text, got.reasoning) == ("Hé \U0001f600\u2028!", "hm")
    assert (got.finish, got.usage, got.failure) == ("stop", Usage(7, 0, 3, 0, 10), None)


def test_calls_of_one_name_in_records_of_their_own_are_two() -> None:
    got = read(BODIES["calls"])
    assert [(item.name, item.arguments, item.id) for item in got.calls] == [
        ("f", {"x": 1}, "call_0"),
        ("f", {"x": 2}, "call_1"),
    ]
    assert [item.provider_data for item in got.calls] == [{"gemini": {"thoughtSignature": "s"}}, None]
    assert (got.text, got.finish) == ("Both: ", "stop")


def test_calls_that_are_the_same_in_all_are_two_as_well() -> None:
    got = read(stream(record(call("f", {}), call("f", {}), finish="STOP")))
    assert [item.id for item in got.calls] == ["call_0", "call_1"]


def test_calls_keep_the_ids_that_they_come_with() -> None:
    got = read(stream(record(call("f", {}, id="a"), call("f", {}, id="b"), finish="STOP")))
    assert [item.id for item in got.calls] == ["a", "b"]
    assert got.calls[1].provider_data == {"gemini": {"id": "b"}}


def test_a_call_with_wrong_arguments_leaves_the_others_alone() -> None:
    got = read(stream(record({"functionCall": {}}, call("f", [1]), call("g", {}), finish="STOP")))
    assert [(item.name, item.error is None) for item in got.calls] == [("", False), ("f", False), ("g", True)]


def test_a_call_is_whole_even_where_the_answer_is_cut_after_it() -> None:
    got = read(stream(record(call("f"), finish="MAX_TOKENS")))
    assert (got.finish, got.calls[0].error) == ("length", None)


@pytest.mark.parametrize("name", ["broken off", "array that breaks off", "cut array", "empty"])
def test_an_answer_without_an_end_broke_off(name: str) -> None:
    got = read(BODIES[name])
    assert got.failure is not None
    assert got.failure.retryable
    assert (got.finish, got.calls) == (None, ())


@pytest.mark.parametrize("name", ["error", "error in an array", "array of an error"])
def test_an_error_is_told_wherever_it_stands(name: str) -> None:
    got = read(BODIES[name])
    assert got.failure is not None
    assert (got.failure.status, got.failure.code, got.failure.detail) == (503, "UNAVAILABLE", "overloaded")
    assert got.finish is None
    assert "!" not in got.text


def test_calls_of_an_answer_that_failed_are_not_given() -> None:
    got = read(BODIES["malformed"])
    assert (got.calls, got.finish) == ((), None)
    assert got.failure is not None
    assert got.failure.code == "MALFORMED_FUNCTION_CALL"


def test_a_block_is_a_refusal() -> None:
    assert read(BODIES["blocked"]).events == [ModelEnd("refusal", Usage(4, 0, 0, 0, 4))]


def test_a_record_without_an_end_of_its_own_is_read() -> None:
    assert read(stream(*PROSE).rstrip()).finish == "stop"


def test_done_is_borne() -> None:
    assert read(stream(*PROSE) + DONE).finish == "stop"


@pytest.mark.parametrize("data", ["[]", "[1]", "[[{}]]", "7", '"x"', "null", "[x"])
def test_a_record_that_is_none_is_skipped(data: str) -> None:
    got = read(b"data: " + data.encode() + b"\r\n\r\n" + stream(*PROSE))
    assert (got.text, got.failure) == ("Hé \U0001f600\u2028!", None)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PART: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "text": JSON,
        "thought": JSON,
        "thoughtSignature": JSON,
        "functionCall": JSON
        | st.fixed_dictionaries({}, optional=dict.fromkeys(("name", "args", "id"), JSON)),
    },
)
RECORD: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "candidates": JSON
        | st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "content": JSON | st.fixed_dictionaries({"parts": st.lists(PART | JSON, max_size=3)}),
                    "finishReason": JSON | st.sampled_from(["STOP", "SAFETY", "MALFORMED_FUNCTION_CALL"]),
                    "finishMessage": JSON,
                    "index": JSON,
                },
            ),
            max_size=2,
        ),
        "promptFeedback": JSON | st.fixed_dictionaries({"blockReason": JSON}),
        "usageMetadata": JSON | st.dictionaries(st.sampled_from(list(tokens(0, 0))), JSON),
        "error": JSON,
    },
)


def check(body: bytes) -> None:
    """It ends in one of two ways, and half a call never comes out."""
    got = read(body)
    ends = [item for item in got.events if isinstance(item, ModelEnd)]
    assert len(ends) == (0 if got.failure else 1)
    assert not got.failure or got.calls == ()
    assert same(read(body, range(1, len(body), 7)), got)


@given(st.lists(RECORD | JSON, max_size=4), st.booleans())
def test_whatever_the_records_are_the_answer_ends(records: list[Any], array: bool) -> None:
    check(json.dumps(records).encode() if array else stream(*records))


@given(st.binary(max_size=200), st.sampled_from([b"", b"data: ", b"[", b"{", *BODIES.values()]))
def test_whatever_the_bytes_are_it_does_too(data: bytes, before: bytes) -> None:
    check(before + data)


@given(st.sampled_from(list(BODIES)), st.integers(0, 900), st.binary(max_size=3))
def test_a_body_that_is_damaged_does_too(name: str, at: int, data: bytes) -> None:
    body = BODIES[name]
    check(body[:at] + data + body[at + len(data) + 1 :])
