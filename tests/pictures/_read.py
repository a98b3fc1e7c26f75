"""What a picture shows, read from its file alone, as a viewer reads it."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from xml.etree import ElementTree

from tools.pictures._svg import CELL, LINE

_SVG = "{http://www.w3.org/2000/svg}"
_BOXES = re.compile(r"[─│╭╮╰╯━┃┏┓┗┛]")


def shown(svg: str) -> list[str]:
    """The words of each frame, from top to bottom, where they stand; boxes are blank."""
    root = ElementTree.fromstring(svg)
    lines = {group.attrib["id"]: _line(group) for group in root.iterfind(f"{_SVG}defs/{_SVG}g")}
    return [
        "\n".join(_frame(frame, lines)).rstrip("\n") for frame in root.iterfind(f"{_SVG}svg/{_SVG}g/{_SVG}g")
    ]


def size(png: bytes) -> tuple[int, int]:
    """The width and height of a PNG file, in pixels."""
    assert png[:16] == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def without_boxes(text: str) -> str:
    """The words of a frame as `shown` has them."""
    return "\n".join(_BOXES.sub(" ", line).rstrip() for line in text.split("\n")).rstrip("\n")


def stops(svg: str) -> list[tuple[float, int]]:
    """When the film shows what: a percentage of its time, and how far it is moved."""
    found = re.findall(r"^([\d.]+)% \{ transform: translateY\((-?\d+)px\) \}$", svg, re.MULTILINE)
    return [(float(percent), int(far)) for percent, far in found]


def _line(group: ElementTree.Element) -> str:
    line = ""
    for text in group.iterfind(f"{_SVG}text"):
        column = round(float(text.attrib["x"]) / CELL)
        assert len(line) <= column, "words lie on words"
        line = line.ljust(column) + (text.text or "")
    return line


def _frame(frame: ElementTree.Element, lines: dict[str, str]) -> Iterator[str]:
    row = 0
    for use in frame.iterfind(f"{_SVG}use"):
        place = int(use.attrib["y"]) // LINE
        yield from [""] * (place - row)
        yield lines[use.attrib["href"].removeprefix("#")].rstrip()
        row = place + 1
