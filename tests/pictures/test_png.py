"""Words in a PNG file."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.pictures._png import SIGNATURE, described, description, size


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def picture(width: int = 2, height: int = 3) -> bytes:
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    pixels = zlib.compress(bytes((width + 1) * height))
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_words_come_back_and_the_last_ones_hold(first: str, last: str) -> None:
    png = described(described(picture(), first), last)
    assert description(png) == last
    assert png == described(picture(), last)
    assert size(png) == (2, 3)


def test_the_words_are_a_chunk_that_any_reader_may_skip() -> None:
    words = chunk(b"iTXt", "Description\0\0\0\0\0käme".encode())
    plain = picture()
    assert described(plain, "käme") == plain[:33] + words + plain[33:]


def test_a_picture_without_words_has_none() -> None:
    assert description(picture()) == ""


def test_what_is_no_png_is_refused() -> None:
    with pytest.raises(ValueError, match="no PNG"):
        description(b"GIF89a")
