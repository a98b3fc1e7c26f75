"""Chunks that no rule shows, and token callbacks that are told something else."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._project import Project

DRIVER = "src/finalturn/_agent/driver.py"
SYNC = "src/finalturn/_agent/sync.py"
READER = "src/finalturn/_contract/traces/values.py"
HERE = "tools/contractdocs/kinds/code_emissions.py"
ALLOW = (
    "return it from a function that a rule shows; what else may make chunks stands in MAY_MAKE of"
    " tools/contractdocs/kinds/code_emissions.py"
)


@pytest.mark.parametrize("code", ["FT24", "FT25"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestEmissionOutsideTable:
    def appended(self, code: str) -> Project:
        return PROJECT.with_file(DRIVER, f"{PROJECT.files[DRIVER]}\n\n{code}\n")

    def place(self, code: str) -> str:
        return f"{DRIVER}:{PROJECT.files[DRIVER].count(chr(10)) + 3 + code.count(chr(10))}"

    @pytest.mark.parametrize("made", ["StreamChunk", "content_chunk"])
    def test_a_call(self, made: str) -> None:
        code = f"def leak(text):\n    return {made}(text, 0)"
        assert planted("FT24", self.appended(code)) == [
            f"{self.place(code)} FT24 emission-outside-table: makes a chunk with {made}(...) -> {ALLOW}"
        ]

    def test_a_call_under_another_name(self) -> None:
        code = "from finalturn._core.chunks import StreamChunk as Chunk\nleak = Chunk('text')"
        assert planted("FT24", self.appended(code)) == [
            f"{self.place(code)} FT24 emission-outside-table: makes a chunk with StreamChunk(...) -> {ALLOW}"
        ]

    def test_a_call_through_the_module(self) -> None:
        code = "from finalturn._core import chunks\nleak = chunks.content_chunk('text', 0)"
        assert len(planted("FT24", self.appended(code))) == 1

    def test_a_pattern_makes_none(self) -> None:
        code = "def look(item):\n    match item:\n        case StreamChunk(content=text):\n            pass"
        assert planted("FT24", self.appended(code)) == []

    def test_an_allowance_that_is_stale(self) -> None:
        project = PROJECT.with_file(READER, '"""Reads nothing."""\n')
        assert planted("FT24", project) == [
            f"{HERE}:{PROJECT.line_of(HERE, 'MAY_MAKE')} FT24 emission-outside-table: MAY_MAKE allows"
            f" {READER}, which makes no chunk -> {ALLOW}"
        ]


class TestSurfaceBypass:
    DO = f"read the stream of chunks, and pass on content only, in {SYNC}"

    def test_something_else_than_content(self) -> None:
        project = PROJECT.edited(
            SYNC, "told: Any = handler(item.content)", "told: Any = handler(item.reasoning)"
        )
        line = project.line_of(SYNC, "handler(item.reasoning)")
        assert planted("FT25", project) == [
            f"{SYNC}:{line} FT25 surface-bypass: drain tells the stream_handler item.reasoning, not a chunk's"
            f" content -> {self.DO}"
        ]

    def test_somewhere_else(self) -> None:
        code = "\n\ndef tell(stream_handler: StreamHandler, text: str) -> None:\n    stream_handler(text)\n"
        project = PROJECT.with_file(DRIVER, PROJECT.files[DRIVER] + code)
        line = project.line_of(DRIVER, "    stream_handler(text)")
        assert planted("FT25", project) == [
            f"{DRIVER}:{line} FT25 surface-bypass: tell calls the stream_handler with text -> {self.DO}"
        ]

    def test_an_attribute(self) -> None:
        code = (
            "\n\nclass Teller:\n    def tell(self, text: str) -> None:\n        self._stream_handler(text)\n"
        )
        project = PROJECT.with_file(DRIVER, PROJECT.files[DRIVER] + code)
        line = project.line_of(DRIVER, "        self._stream_handler(text)")
        assert planted("FT25", project) == [
            f"{DRIVER}:{line} FT25 surface-bypass: Teller.tell calls the stream_handler with text ->"
            f" {self.DO}"
        ]
