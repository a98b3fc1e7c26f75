"""Words in a PNG file: a picture that says what it shows can be compared without looking at it.

The words stand in a chunk iTXt with the keyword Description: https://www.w3.org/TR/png-3/#11iTXt
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BEFORE = b"Description\0\0\0\0\0"
"""The keyword; not compressed; no language, and no translated keyword."""


def described(png: bytes, text: str) -> bytes:
    """The picture with these words, in place of any that it had."""
    chunks = [(kind, data) for kind, data in _chunks(png) if not data.startswith(_BEFORE)]
    chunks.insert(1, (b"iTXt", _BEFORE + text.encode()))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def description(png: bytes) -> str:
    """The words of a picture; "" where it has none."""
    found = (data for kind, data in _chunks(png) if kind == b"iTXt" and data.startswith(_BEFORE))
    return next(found, b"").removeprefix(_BEFORE).decode()


def size(png: bytes) -> tuple[int, int]:
    """Its width and height, in pixels."""
    _, header = next(_chunks(png))
    width, height = struct.unpack_from(">II", header)
    return width, height


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(SIGNATURE):
        raise ValueError("this is no PNG file")
    place = len(SIGNATURE)
    while place < len(png):
        length, kind = struct.unpack_from(">I4s", png, place)
        yield kind, png[place + 8 : place + 8 + length]
        place += length + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
