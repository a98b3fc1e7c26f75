"""Bodies cut into frames, however they arrive, whatever they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.bedrock import frames as _bedrock_frames
from finalturn._providers.bedrock.frames import DamagedError, Frame, Frames
from tests.providers._bedrock_wire import frame, framed

ONE = frame({":event-type": "a", ":message-type": "event"}, b'{"x":"\xc3\xa9"}')
TWO = frame({}, b"")
THREE = frame({":event-type": "é"}, bytes(range(256)))
BODY = ONE + TWO + THREE
FRAMES = [
    Frame({":event-type": "a", ":message-type": "event"}, b'{"x":"\xc3\xa9"}'),
    Frame({}, b""),
    Frame({":event-type": "é"}, bytes(range(256))),
]


def feed(pieces: Sequence[bytes]) -> list[Frame]:
    frames = Frames()
    return [found for piece in pieces for found in frames.feed(piece)]


def test_a_frame_has_headers_and_a_payload() -> None:
    assert feed([BODY]) == FRAMES


def test_it_may_arrive_byte_by_byte() -> None:
    assert feed([BODY[at : at + 1] for at in range(len(BODY))]) == FRAMES


@given(st.lists(st.integers(0, len(BODY)), max_size=6))
def test_it_may_arrive_in_any_pieces(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(BODY)]
    assert feed([BODY[start:end] for start, end in pairwise(places)]) == FRAMES


def test_headers_may_be_of_any_type() -> None:
    types = {
        b"\0": True,
        b"\1": False,
        b"\2\xff": -1,
        b"\3\0\1": 1,
        b"\4\0\0\0\1": 1,
        b"\5" + pack("!q", 2): 2,
        b"\6\0\2ab": b"ab",
        b"\7\0\2ab": "ab",
        b"\x08" + pack("!q", 3): 3,
        b"\x09" + b"u" * 16: b"u" * 16,
    }
    for given_value, expected in types.items():
        (found,) = feed([framed(b"\1n" + given_value, b"")])
        assert found.headers == {"n": expected}


@given(st.integers(0, len(ONE) - 1), st.integers(1, 255))
def test_no_change_of_a_byte_goes_unseen(place: int, change: int) -> None:
    damaged = ONE[:place] + bytes([ONE[place] ^ change]) + ONE[place + 1 :]
    with pytest.raises(DamagedError):
        feed([damaged])


@pytest.mark.parametrize(
    "headers",
    [
        b"\1",
        b"\1n",
        b"\1n\7",
        b"\1n\x0a",
        b"\1n\7\0\1\xff",
        b"\1\xff\0",
        b"\1n\0\1n\0",
        b"\0" * 3,
    ],
)
def test_headers_that_are_none_are_damage_too(headers: bytes) -> None:
    with pytest.raises(DamagedError):
        feed([framed(headers, b"") + ONE])


@given(st.binary(max_size=200))
def test_bytes_that_are_no_frames_give_none(data: bytes) -> None:
    frames = Frames()
    try:
        assert list(frames.feed(data)) == []
    except DamagedError:
        pass
    else:
        assert len(data) < 12


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_headers_may_be_anything(headers: bytes, payload: bytes) -> None:
    frames = Frames()
    try:
        found = list(frames.feed(framed(headers, payload)))
    except DamagedError:
        return
    assert [item.payload for item in found] == [payload]


def test_lengths_that_contradict_each_other_end_it() -> None:
    from binascii import crc32

    for total in (0, 4, 12, 15, 20):
        prelude = pack("!II", total, 40)
        with pytest.raises(DamagedError):
            feed([prelude + pack("!I", crc32(prelude)) + bytes(100)])


def test_a_frame_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bedrock_frames, "MAX_FRAME", 300)
    frames = Frames()
    assert list(frames.feed(BODY)) == FRAMES
    assert not frames.overflowed
    large = frame({}, bytes(300))
    assert list(frames.feed(large[:300])) == []
    assert not frames.overflowed
    assert list(frames.feed(large[300:305])) == []
    assert frames.overflowed


def test_many_frames_in_one_read_are_no_burden() -> None:
    assert len(feed([ONE * 20_000])) == 20_000
