"""Bodies of Responses servers, however they are cut, whatever they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.assembly import UNKEPT
from finalturn._core.model import TextDelta
from finalturn._core.result import Usage
from finalturn._providers.answers.decode import WireDecoder
from finalturn._providers.openai_responses.answer import ResponsesAnswer
from tests.providers._responses_wire import (
    DONE,
    KEY,
    added,
    arguments,
    call,
    data,
    done,
    end,
    event,
    message,
    read,
    reasoning,
    spoken,
    text,
    whole,
)
from tests.providers._wire import Read

HELLO = message("Hé \U0001f600\u2028!")
PROSE = event("response.created", response=whole(status="in_progress")) + spoken(
    0, HELLO, "Hé", " \U0001f600\u2028", "!"
)
COMMENT = message("Let me see.", "m1", phase="commentary")
ANSWER = message('{"a":1}', "m2", phase="final_answer")
AGAIN = message("Let me see.", "m2", phase="final_answer")
THOUGHT = reasoning("hm", encrypted_content="gA")
CALLS = (
    added(0, reasoning())
    + event("response.reasoning_summary_text.delta", output_index=0, item_id="rs_1", delta="hm")
    + done(0, THOUGHT)
    + spoken(1, COMMENT, "Let me", " see.")
    + added(2, call("f", "", "x", id="fc_1"))
    + arguments(2, '{"x"', ":1}")
    + done(2, call("f", '{"x":1}', "x", id="fc_1"))
    + added(3, call("g", "", "y", id="fc_2"))
    + arguments(3, '{"y":2}', item_id="fc_2")
    + done(3, call("g", '{"y":2}', "y", id="fc_2"))
)
# As llama.cpp sends it: no index anywhere.
BARE = (
    data("response.output_item.added", item={"type": "message", "id": "m"})
    + data("response.output_text.delta", item_id="m", delta="Hé")
    + data(
        "response.output_item.added", item={"type": "function_call", "id": "c", "call_id": "x", "name": "f"}
    )
    + data("response.function_call_arguments.delta", item_id="c", delta='{"x":1}')
    + data("response.completed", response={"status": "completed"})
    + DONE
)
BODIES: dict[str, bytes] = {
    "prose": PROSE + end(HELLO),
    "calls": CALLS + end(THOUGHT, COMMENT, call("f", '{"x":1}', "x"), call("g", '{"y":2}', "y")),
    "bare": BARE,
    "phases": spoken(0, COMMENT, "Let me", " see.") + spoken(1, ANSWER, '{"a"', ":1}") + end(COMMENT, ANSWER),
    "repeated": spoken(0, COMMENT, "Let me see.") + spoken(1, AGAIN, "Let ", "me see.") + end(COMMENT, AGAIN),
    "crlf": (PROSE + end(HELLO)).replace(b"\n", b"\r\n"),
    "data before its name": b"".join(
        b"\n".join(reversed(part.split(b"\n"))) + b"\n\n" for part in (PROSE + end(HELLO)).split(b"\n\n")[:-1]
    ),
    "midway": text(0, "lo") + done(0, message("Hello")) + end(message("Hello")),
    "done mark only": PROSE + DONE,
    "failed": PROSE + end(status="failed", error={"code": "c", "message": "x"}),
    "error": PROSE + event("error", code="overloaded", message=f"x {KEY}") + text(0, "never"),
    "error without a name": PROSE + data("error", code="overloaded", message=f"x {KEY}") + text(0, "never"),
    "broken off": PROSE + added(1, call("f", "")) + arguments(1, "{}"),
    "document": json.dumps(whole(THOUGHT, HELLO, call("f", '{"x":1}', "x"))).encode(),
    "failed document": json.dumps(whole(status="failed", error={"message": "x"})).encode(),
}  # fmt: skip


def same(first: Read, second: Read) -> bool:
    """Equal, but for the identity of the failure."""
    return first._replace(failure=None) == second._replace(failure=None) and str(first.failure) == str(
        second.failure
    )


@pytest.mark.parametrize("name", BODIES)
def test_cuts_change_nothing(name: str) -> None:
    body = BODIES[name]
    whole_read = read(body)
    assert same(read(body, range(1, len(body))), whole_read)
    assert all(same(read(body, [at]), whole_read) for at in range(0, len(body), 7))


@given(st.sampled_from(list(BODIES)), st.lists(st.integers(0, 3000), max_size=6))
def test_no_number_of_cuts_does(name: str, cuts: list[int]) -> None:
    body = BODIES[name]
    assert same(read(body, sorted(min(cut, len(body)) for cut in cuts)), read(body))


class TestStreams:
    @pytest.mark.parametrize("name", ["prose", "crlf", "data before its name"])
    def test_prose(self, name: str) -> None:
        got = read(BODIES[name])
        assert (got.text, got.finish, got.failure) == ("Hé \U0001f600\u2028!", "stop", None)
        assert got.usage == Usage(7, 0, 3, 0, 10)

    def test_calls(self) -> None:
        got = read(BODIES["calls"])
        assert (got.text, got.reasoning, got.finish) == ("Let me see.", "hm", "tool_calls")
        assert [(item.name, item.arguments, item.id) for item in got.calls] == [
            ("f", {"x": 1}, "x"), ("g", {"y": 2}, "y")
        ]  # fmt: skip
        assert [item.provider_data is None for item in got.calls] == [False, True]

    def test_a_server_that_leaves_out_what_it_can(self) -> None:
        got = read(BODIES["bare"])
        assert (got.text, got.usage) == ("Hé", None)
        assert [(item.name, item.arguments, item.id) for item in got.calls] == [("f", {"x": 1}, "x")]

    def test_phases(self) -> None:
        assert read(BODIES["phases"]).text == 'Let me see.\n\n{"a":1}'
        assert read(BODIES["repeated"]).text == "Let me see."

    def test_one_that_begins_midway(self) -> None:
        assert (read(BODIES["midway"]).text, read(BODIES["midway"]).finish) == ("lo", "stop")

    def test_the_end_ends_nothing_while_content_still_comes(self) -> None:
        decoder = WireDecoder(ResponsesAnswer("o", None))
        assert decoder.feed(end()) == []
        assert decoder.ending.closed
        assert decoder.feed(text(0, "more")) == [TextDelta("more")]
        assert not decoder.ending.closed

    def test_calls_with_the_same_id_are_two(self) -> None:
        got = read(end(call("f", "{}", "call_0"), call("g", "{}", "call_0")))
        assert [item.id for item in got.calls] == ["call_0", "call_1"]

    def test_a_call_that_was_cut_does_not_run(self) -> None:
        got = read(
            added(0, call("f", "", "x"))
            + arguments(0, '{"a":"b')
            + end(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        )
        assert got.finish == "length"
        assert "cut" in (got.calls[0].error or "")


class TestEnd:
    def test_the_mark_is_enough_where_all_is_complete(self) -> None:
        assert read(BODIES["done mark only"]).finish == "stop"
        got = read(text(0, "half") + DONE)
        assert (got.text, got.finish) == ("half", None)
        assert got.failure is not None
        assert got.failure.retryable

    def test_without_either_the_answer_broke_off(self) -> None:
        got = read(BODIES["broken off"])
        assert (got.finish, got.calls) == (None, ())
        assert got.failure is not None
        assert got.failure.retryable

    @pytest.mark.parametrize("name", ["error", "error without a name", "failed"])
    def test_an_error_ends_it(self, name: str) -> None:
        got = read(BODIES[name])
        assert (got.text, got.finish) == ("Hé \U0001f600\u2028!", None)
        assert got.failure is not None
        assert got.failure.detail in ("x", "x [key]")
        assert "SENTINEL" not in str(got.failure)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["a", "b", "", None, 7])
PLACES = st.sampled_from([0, 1, None, "0", 1.0, True])
PART = st.fixed_dictionaries(
    {"type": st.sampled_from(["output_text", "refusal"])}, optional={"text": JSON, "refusal": JSON}
)
PARTS = JSON | st.lists(PART, max_size=2)
ITEMS = JSON | st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "reasoning", "function_call", "web_search_call"]) | JSON},
    optional={
        "id": NAMES,
        "call_id": NAMES,
        "name": JSON,
        "arguments": JSON | st.sampled_from(["{}", '{"a":1}', "{"]),
        "content": PARTS,
        "summary": PARTS,
        "encrypted_content": JSON,
        "phase": st.sampled_from(["commentary", "final_answer"]) | JSON,
    },
)
ANSWERS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["completed", "incomplete", "failed", "queued"]) | JSON,
        "output": JSON | st.lists(ITEMS, max_size=3),
        "usage": JSON,
        "error": JSON,
        "incomplete_details": JSON,
    },
)
TYPES = [
    "error",
    "response.completed",
    "response.failed",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.incomplete",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.refusal.delta",
]
RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES) | JSON},
    optional={
        "output_index": PLACES,
        "item_id": NAMES,
        "delta": st.sampled_from(["a", " ", "{}", "{"]) | JSON,
        "arguments": JSON,
        "item": ITEMS,
        "response": ANSWERS,
        "error": JSON,
    },
)


@given(st.lists(RECORDS, max_size=8), st.booleans())
def test_no_records_make_it_raise(records: list[object], marked: bool) -> None:
    body = b"".join(b"data: " + json.dumps(record).encode() + b"\n\n" for record in records)
    got = read(body + (DONE if marked else b""))
    assert (got.failure is None) is (got.finish is not None)
    # What rides on a call never makes it one that cannot run.
    assert UNKEPT not in {item.error for item in got.calls}


@given(ANSWERS | RECORDS)
def test_no_document_does(record: object) -> None:
    got = read(json.dumps(record).encode())
    assert (got.failure is None) is (got.finish is not None)


@given(st.sampled_from(list(BODIES)), st.integers(0, 3000), st.binary(max_size=4), st.integers(0, 4))
def test_no_damage_does(name: str, at: int, put: bytes, taken: int) -> None:
    body = BODIES[name]
    got = read(body[:at] + put + body[at + taken :])
    assert (got.failure is None) is (got.finish is not None)
