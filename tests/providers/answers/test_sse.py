"""Server-sent events, however they are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.answers.sse import ServerSentEvent, SSEReader


def events(*chunks: bytes, limit: int = 10_000) -> list[ServerSentEvent]:
    reader = SSEReader(limit)
    found = [event for chunk in chunks for event in reader.feed(chunk)]
    return found + reader.close()


def data(*chunks: bytes) -> list[bytes]:
    return [item for _, item in events(*chunks)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_in_any_of_three_ways(end: bytes) -> None:
    body = end.join([b"event: a", b"data: 1", b"data: 2", b"", b"data:3", b"", b""])
    assert events(body) == [(b"a", b"1\n2"), (b"", b"3")]


@pytest.mark.parametrize(
    "separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x00"]
)
def test_lines_end_in_nothing_else(separator: str) -> None:
    line = f'{{"t":"a{separator}b"}}'.encode()
    assert data(b"data: " + line + b"\n\n") == [line]


def test_a_crlf_that_is_cut_in_two_is_one_line_end() -> None:
    assert data(b'data: {"a":\r', b"\ndata: 1}\r\n\r\n") == [b'{"a":\n1}']
    assert data(b"data: 1\r", b"", b"\n\r", b"\n") == [b"1"]


def test_a_cr_ends_an_event_without_waiting_for_more() -> None:
    reader = SSEReader(100)
    assert reader.feed(b"data: 1\r\r") == [(b"", b"1")]


@pytest.mark.parametrize(
    "body",
    [
        b": ping\n\n",
        b":\n\n",
        b"\n\n\n",
        b"id: 7\n\n",
        b"event: x\n\n",
        b"data:\n\n",
        b"retry: 3\n\n",
        b"x\n\n",
        b"",
    ],
)
def test_what_has_no_data_is_no_event(body: bytes) -> None:
    assert events(body, b"data: 1\n\n", body) == [(b"", b"1")]


def test_the_name_of_an_event_without_data_is_not_the_next_ones() -> None:
    assert events(b"event: x\n\ndata: 1\n\n") == [(b"", b"1")]


def test_one_space_after_the_colon_is_no_data() -> None:
    assert data(b"data:  1\n\n", b"data:1\n\n") == [b" 1", b"1"]


def test_other_fields_are_left_out() -> None:
    assert data(b"id: 1\ndata: 1\nretry: 5\ndataset: 3\nDATA: 4\n data: 5\n\n") == [b"1"]


@pytest.mark.parametrize("cut", range(4))
def test_a_byte_order_mark_is_skipped_at_the_start_only(cut: int) -> None:
    body = b"\xef\xbb\xbfdata: 1\n\n\xef\xbb\xbfdata: 2\n\n"
    assert data(body[:cut], body[cut:]) == [b"1"]


def test_what_only_looks_like_a_byte_order_mark_is_data() -> None:
    assert data(b"\xef", b"\xbb\n", b"data: 1\n\n") == [b"1"]


def test_an_event_may_end_with_the_body() -> None:
    assert data(b"data: 1\n\ndata: 2\n") == [b"1", b"2"]
    assert data(b"data: 1\n\ndata: 2") == [b"1", b"2"]
    assert data(b"data: 1\r") == [b"1"]


class TestLimit:
    def test_an_event_that_does_not_end_is_not_kept(self) -> None:
        reader = SSEReader(100)
        assert reader.feed(b"data: 1\n\ndata: " + b"x" * 90) == [(b"", b"1")]
        assert not reader.overflowed
        assert reader.feed(b"x" * 20) == []
        assert reader.overflowed
        assert reader.feed(b"\n\ndata: 2\n\n") == []
        assert reader.close() == []

    def test_many_lines_count_together(self) -> None:
        reader = SSEReader(100)
        for _ in range(30):
            reader.feed(b"data: xxx\n")
        assert not reader.overflowed
        for _ in range(10):
            reader.feed(b"data: xxx\n")
        assert reader.overflowed

    def test_what_is_not_data_is_bounded_too(self) -> None:
        for start in (b":", b"event: "):
            reader = SSEReader(100)
            reader.feed(start + b"x" * 200)
            assert reader.overflowed

    def test_pings_and_finished_events_do_not_add_up(self) -> None:
        reader = SSEReader(100)
        for _ in range(100):
            reader.feed(b": pi")
            reader.feed(b"ng\n")
            reader.feed(b"data: 1234567890\n\n")
        assert not reader.overflowed


LINES = st.sampled_from(
    [
        b"data: 1",
        b'data:{"a":1}',
        b"data",
        b"data:",
        b": c",
        b"event: e",
        b"id: 1",
        b"",
        b"",
        b"\xf0\x9f\x98\x80",
        "data: \U0001f600\u2028".encode(),
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(LINES, ENDS), max_size=12), st.lists(st.integers(0, 200), max_size=6))
def test_cuts_change_nothing(lines: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    body = b"".join(line + end for line, end in lines)
    whole = events(body)
    assert events(*(body[at : at + 1] for at in range(len(body)))) == whole
    places = [0, *sorted(cuts), len(body)]
    assert events(*(body[start:end] for start, end in pairwise(places))) == whole


def test_a_long_event_in_small_reads_takes_linear_time() -> None:
    body = b"data: " + b"x" * 300_000 + b"\n\n"
    assert events(*(body[at : at + 2] for at in range(0, len(body), 2)), limit=1_000_000) == [
        (b"", body[6:-2])
    ]
