"""Bodies of Messages answers, however they are cut, whatever they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.model import ModelEnd
from tests.providers._anthropic_wire import (
    END,
    PING,
    answer,
    begin,
    call,
    event,
    finish,
    piece,
    read,
    start,
    stop,
    text,
    thought,
)
from tests.providers._wire import Read
from tests.providers.anthropic.test_answer import WHOLE

HEAD = start(input_tokens=7, output_tokens=1) + PING
TAIL = finish("tool_use", output_tokens=5) + END
CALLS = (
    thought(0, "h", "m")
    + text(1, "Hé ", "\U0001f600\u2028")
    + call(2, "a", "f", '{"x"', ":1}")
    + call(3, "b", "g")
)
RAW = event({"type": "content_block_delta", "delta": {"text": "é\U0001f600"}}, ascii_only=False)
HALF = begin(0, "tool_use", id="a", name="f") + piece(0, "input_json_delta", partial_json='{"x')
BODIES: dict[str, bytes] = {
    "all": HEAD + CALLS + TAIL,
    "crlf": (HEAD + CALLS + TAIL).replace(b"\n", b"\r\n"),
    "cr": (HEAD + CALLS + TAIL).replace(b"\n", b"\r"),
    "no indexes": HEAD + text(None, "Hi") + call(None, "a", "f", "{}") + call(None, "b", "f", "{}") + TAIL,
    "not escaped": HEAD + RAW + END,
    "cut pair": HEAD + text(0, "\ud83d", "\ude00") + END,
    "padded": (HEAD + text(0, "Hi") + TAIL).replace(b"}\n\n", b"}    }\n\n").replace(b"}    }", b"}      "),
    "refused": HEAD + text(0, "We") + begin(1, "tool_use", id="a", name="f") + finish("refusal") + END,
    "cut": HEAD + HALF + finish("max_tokens") + END,
    "error": HEAD + text(0, "par") + event({"type": "error", "error": {"type": "overloaded_error"}}) + TAIL,
    "broken off": HEAD + text(0, "half") + stop(0),
    "document": json.dumps(WHOLE).encode(),
    "indented document": b"\n " + json.dumps(WHOLE, indent=1).encode(),
}  # fmt: skip


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


@given(st.sampled_from(list(BODIES)), st.lists(st.integers(0, 2500), max_size=6))
def test_no_number_of_cuts_does(name: str, cuts: list[int]) -> None:
    body = BODIES[name]
    assert same(read(body, sorted(min(cut, len(body)) for cut in cuts)), read(body))


@pytest.mark.parametrize("name", ["all", "crlf", "cr"])
def test_what_is_read(name: str) -> None:
    got = read(BODIES[name])
    assert (got.text, got.reasoning, got.finish) == ("Hé \U0001f600\u2028", "hm", "tool_calls")
    assert [(item.id, item.name, item.arguments) for item in got.calls] == [
        ("a", "f", {"x": 1}),
        ("b", "g", {}),
    ]


WORD = st.sampled_from(
    ["", "a", "f", "text", "thinking", "tool_use", "end_turn", "refusal", "max_tokens", "{}", '{"x":', "1}"]
) | st.text(max_size=3)
VALUE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats(allow_nan=False) | WORD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3),
    max_leaves=5,
)


def loosely(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object some of whose fields may be anything, or missing."""
    return st.fixed_dictionaries({}, optional={name: part | VALUE for name, part in fields.items()})


INDEX = st.integers(0, 2)
BLOCK = loosely(
    type=st.sampled_from(["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use"]),
    text=WORD, thinking=WORD, signature=WORD, data=WORD, id=WORD, name=WORD, input=VALUE,
)  # fmt: skip
DELTA = loosely(
    type=st.sampled_from(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]),
    text=WORD, thinking=WORD, signature=WORD, partial_json=WORD, stop_reason=WORD,
)  # fmt: skip
USAGE = loosely(input_tokens=INDEX, output_tokens=INDEX, cache_read_input_tokens=INDEX)
RECORD = loosely(
    type=st.sampled_from(
        [
            "message_start", "content_block_start", "content_block_delta", "content_block_stop",
            "message_delta", "message_stop", "message", "ping", "error",
        ]
    ),
    index=INDEX, content_block=BLOCK, delta=DELTA, usage=USAGE,
    message=loosely(usage=USAGE, content=st.lists(BLOCK, max_size=2)), content=st.lists(BLOCK, max_size=2),
    stop_reason=WORD, error=loosely(type=WORD, message=WORD),
)  # fmt: skip


@given(st.lists(RECORD | VALUE, max_size=8), st.booleans())
def test_no_record_breaks_it(records: list[Any], ended: bool) -> None:
    body = b"".join(b"data: " + json.dumps(record).encode() + b"\n\n" for record in records)
    got = read(body + (END if ended else b""))
    assert (got.failure is None) is any(isinstance(item, ModelEnd) for item in got.events)
    assert got.finish != "refusal" or not got.calls
    for made in got.calls:
        assert made.error or made.name.strip()


@given(RECORD | VALUE)
def test_no_document_does(record: Any) -> None:
    got = read(json.dumps(record).encode())
    assert (got.failure is None) is any(isinstance(item, ModelEnd) for item in got.events)


@given(st.binary(max_size=200), st.sampled_from(["all", "error", "document"]), st.integers(0, 2500))
def test_nor_do_bytes(noise: bytes, name: str, place: int) -> None:
    body = BODIES[name]
    got = read(body[:place] + noise + body[place:])
    assert (got.failure is None) is (got.finish is not None)


def test_the_end_of_an_answer_can_be_asked_for_at_any_time() -> None:
    assert answer().end() == [ModelEnd("stop")]
