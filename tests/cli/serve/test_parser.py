"""Requests as they arrive, in pieces of any size."""

from __future__ import annotations

from typing import Any

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._cli.serve.parser import LARGEST_HEAD, MOST_HEADERS, Parser

START = b"POST /v1/chat HTTP/1.1\r\nHost: a\r\n"


def events(pieces: list[bytes]) -> list[Any]:
    """What comes of it, up to the status of a refusal."""
    parser = Parser()
    found: list[Any] = []
    for piece in pieces:
        parser.receive_data(piece)
        try:
            while (event := parser.next_event()) is not h11.NEED_DATA and event is not h11.PAUSED:
                found.append(event)
        except h11.RemoteProtocolError:
            return [*found, parser.status]
    return found


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places})
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True) if a != b]


HEADS = st.one_of(
    st.integers(0, 3 * MOST_HEADERS).map(lambda n: START + b"X: 1\r\n" * n + b"\r\n"),
    st.integers(LARGEST_HEAD - 200, LARGEST_HEAD + 200).map(
        lambda n: START + b"X: " + b"x" * n + b"\r\n\r\n"
    ),
    st.integers(16_000, 17_000).map(lambda n: b"GET /" + b"x" * n + b" HTTP/1.1\r\nHost: a\r\n\r\n"),
)


@given(HEADS, st.lists(st.integers(0, 1_000_000), max_size=6))
def test_a_head_is_taken_or_refused_however_it_is_cut(head: bytes, places: list[int]) -> None:
    whole, pieces = events([head]), events(cut(head, places))
    fits = (
        len(head) <= LARGEST_HEAD and head.count(b"\n") <= MOST_HEADERS + 2 and head.find(b"\n") < 16 * 1024
    )
    assert (type(whole[0]) is h11.Request) == (type(pieces[0]) is h11.Request) == fits
    if not fits:
        assert whole[-1] in (414, 431) and pieces[-1] in (414, 431)


@given(st.binary(min_size=1, max_size=3_000), st.lists(st.integers(1, 50), min_size=1, max_size=50))
def test_an_honest_body_of_chunks_of_any_size_is_taken(body: bytes, sizes: list[int]) -> None:
    chunks, at, turn = b"", 0, 0
    while at < len(body):
        part = body[at : at + sizes[turn % len(sizes)]]
        chunks += b"%x\r\n%s\r\n" % (len(part), part)
        at, turn = at + len(part), turn + 1
    found = events([START + b"Transfer-Encoding: chunked\r\n\r\n", chunks, b"0\r\nX-Sum: 1\r\n\r\n"])
    assert b"".join(event.data for event in found if isinstance(event, h11.Data)) == body
    assert isinstance(found[-1], h11.EndOfMessage)


@pytest.mark.parametrize("size", [1, 100, 10_000])
def test_what_stands_around_small_chunks_is_counted(size: int) -> None:
    chunk = b"1;" + b"x" * size + b"\r\n{\r\n"
    many = [chunk] * min(5_000, 3 * LARGEST_HEAD // size)
    found = events([START + b"Transfer-Encoding: chunked\r\n\r\n", *many])
    assert (found[-1] == 400) == (size > 16)


@pytest.mark.parametrize("count", [MOST_HEADERS, MOST_HEADERS + 1])
def test_trailers_are_counted(count: int) -> None:
    body = b"1\r\n{\r\n0\r\n" + b"X: 1\r\n" * count + b"\r\n"
    found = events([START + b"Transfer-Encoding: chunked\r\n\r\n", body])
    assert (found[-1] == 431) == (count > MOST_HEADERS)


def test_a_second_request_on_the_connection_has_the_limits_of_the_first() -> None:
    parser = Parser()
    parser.receive_data(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert isinstance(parser.next_event(), h11.Request) and isinstance(parser.next_event(), h11.EndOfMessage)
    parser.send(h11.Response(status_code=204, headers=[]))
    parser.send(h11.EndOfMessage())
    parser.start_next_cycle()
    parser.receive_data(b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: 1\r\n" * 1_000 + b"\r\n")
    with pytest.raises(h11.RemoteProtocolError):
        parser.next_event()
    assert parser.status == 431
