"""An exception in the check is a finding with a place, not a traceback."""

from __future__ import annotations

from collections.abc import Iterator

from tests.contractdocs._plant import PROJECT
from tools.contractdocs import check
from tools.contractdocs.findings import Finding, Kind, broken
from tools.contractdocs.project import Project


def fail(project: Project) -> Iterator[Finding]:
    raise ValueError("two\n  lines")
    yield


def test_a_kind_that_raises_is_named_with_the_line_that_raised() -> None:
    kind = Kind("FTZZ", "planted", fail)
    line = fail.__code__.co_firstlineno + 1
    assert check.findings_of(kind, PROJECT) == [
        f"tests/contractdocs/test_broken.py:{line} FT60 looked-at-nothing: FTZZ planted could not look"
        " (ValueError: two lines) -> mend it; a check that saw nothing fails"
    ]


def test_a_file_that_is_no_python_is_named() -> None:
    error = SyntaxError("invalid syntax", (str(check.__file__), 7, 1, "x = = 1"))
    assert broken(error, "the code cannot be imported").startswith(
        "tools/contractdocs/check.py:7 FT60 looked-at-nothing: the code cannot be imported (SyntaxError: "
    )
