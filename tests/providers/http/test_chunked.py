"""HTTP chunks that are joined: what comes out means the same, however it is cut."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.http.chunked import MAX_HEAD, MAX_LINE, ChunkJoiner

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n5\r\nhello\r\n\r"
REQUEST = b"POST / HTTP/1.1\r\nHost: a\r\n\r\n"


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n%s\r\n" % (len(data), extension, data)


def joined(pieces: Iterable[bytes], request: bytes = REQUEST) -> list[bytes]:
    joiner = ChunkJoiner()
    joiner.sent(request)
    return [joiner.feed(piece) for piece in pieces]


def read(pieces: Iterable[bytes]) -> tuple[bytes, int, str]:
    """The body as h11 reads it, in how many pieces, and how it ends."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="POST", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    body: list[bytes] = []
    for piece in pieces:
        if piece:
            connection.receive_data(piece)
        while True:
            try:
                event = connection.next_event()
            except h11.RemoteProtocolError:
                return b"".join(body), len(body), "broken"
            if isinstance(event, h11.Data):
                body.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                return b"".join(body), len(body), "ended"
            elif event is h11.NEED_DATA:
                break
    return b"".join(body), len(body), "open"


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]


def test_chunks_that_come_together_are_one() -> None:
    answer = HEAD + chunk(b"a") + chunk(b"bc") + chunk(b"def") + b"0\r\n\r\n"
    assert joined([answer]) == [HEAD + chunk(b"abcdef") + b"0\r\n\r\n"]


def test_nothing_is_held_back() -> None:
    assert joined([HEAD, b"5\r\nab", b"cde\r\n3\r", b"\nfg"]) == [
        HEAD,
        chunk(b"ab"),
        chunk(b"cde"),
        chunk(b"fg"),
    ]


@given(
    st.lists(st.binary(min_size=1, max_size=30), max_size=6),
    st.sampled_from([b"", b";a=1", b" \t"]),
    st.sampled_from([b"0\r\n\r\n", b"000\r\nA: b\r\n\r\n", b""]),
    st.sampled_from([b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"]),
    st.lists(st.integers(0, 400), max_size=12),
)
def test_the_body_is_the_same_however_it_is_cut(
    pieces: list[bytes], extension: bytes, end: bytes, before: bytes, places: list[int]
) -> None:
    answer = before + HEAD + b"".join(chunk(piece, extension) for piece in pieces) + end
    given = cut(answer, places)
    body, _, ends = read(given)
    assert body == b"".join(pieces)
    found, count, found_end = read(joined(given))
    assert (found, found_end) == (body, ends)
    assert count <= len(given)


@pytest.mark.parametrize(
    "answer",
    [
        LENGTH,
        HEAD.replace(b"chunked", b"gzip, chunked") + b"5\r\nhello\r\n",
        HEAD.replace(b"chunked", b"x\r\nTransfer-Encoding: chunked") + b"5\r\nhello\r\n",
        HEAD.replace(b"200", b"204") + chunk(b"a") + chunk(b"b"),
        b"HTTP/1.0 200 OK\r\n\r\n5\r\nhello\r\n3\r\n",
    ],
)
def test_other_bodies_are_left_alone(answer: bytes) -> None:
    assert b"".join(joined(cut(answer, [10, 20, 60]))) == answer


@pytest.mark.parametrize("method", [b"GET", b"HEAD", b"CONNECT"])
def test_what_answers_no_post_is_left_alone(method: bytes) -> None:
    answer = HEAD + chunk(b"a") + chunk(b"b")
    assert joined([answer], REQUEST.replace(b"POST", method)) == [answer]


def test_a_connection_serves_one_answer_after_another() -> None:
    joiner = ChunkJoiner()
    for _ in range(3):
        joiner.sent(REQUEST)
        joiner.sent(b'{"a": 1}')
        assert (
            joiner.feed(HEAD + chunk(b"a") + chunk(b"b") + b"0\r\n\r\n") == HEAD + chunk(b"ab") + b"0\r\n\r\n"
        )
        joiner.sent(REQUEST)
        assert joiner.feed(LENGTH) == LENGTH


def test_a_body_that_is_still_sent_begins_no_answer() -> None:
    joiner = ChunkJoiner()
    joiner.sent(REQUEST)
    assert joiner.feed(HEAD + b"5\r\nhe") == HEAD + chunk(b"he")
    joiner.sent(b'{"more": "of the body"}')
    assert joiner.feed(b"llo\r\n1\r\n!\r\n") == chunk(b"llo!")


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        (b"zz\r\n", "gives no size"),
        (b"\r\n", "gives no size"),
        (b"-1\r\n", "gives no size"),
        (b"1" * (MAX_LINE + 1), "too long"),
        (b"1\r\nab\r\n", "longer than it says"),
    ],
)
def test_what_breaks_the_rules_is_said_after_what_came_before_it(rest: bytes, problem: str) -> None:
    joiner = ChunkJoiner()
    joiner.sent(REQUEST)
    shown = joiner.feed(HEAD + chunk(b"ok") + rest)
    assert read([shown])[0].startswith(b"ok")
    assert joiner.broken is not None and problem in joiner.broken
    assert joiner.feed(b"more") == b""


def test_a_head_without_end_is_left_to_the_client() -> None:
    long = b"HTTP/1.1 200 OK\r\n" + b"a" * MAX_HEAD
    assert b"".join(joined([long, HEAD, b"1\r\na\r\n"])) == long + HEAD + b"1\r\na\r\n"


def test_bare_line_feeds_end_a_head_as_they_do_for_the_client() -> None:
    head = re.sub(rb"\r\n", b"\n", HEAD)
    assert joined([head + chunk(b"a") + chunk(b"b")]) == [head + chunk(b"ab")]
