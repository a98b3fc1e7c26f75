"""Survivors that are excused."""

from __future__ import annotations

import re

import pytest

from tools.mutants._code import ROOT
from tools.mutants._excuses import FILE, excuse_of, line_of, read_excuses

TEXT = """# Why.
[equivalent]
"rule: deleted" = "nobody sees it"

[unpromised]
"f: a \\"b\\" -> *" = "tests prove it"
"""


def test_excuses_of_every_kind_are_read() -> None:
    assert read_excuses(TEXT) == {"rule: deleted": "nobody sees it", 'f: a "b" -> *': "tests prove it"}


@pytest.mark.parametrize(
    ("name", "excuse"),
    [
        ("rule: deleted", "rule: deleted"),
        ("rule: deleted twice", None),
        ('f: a "b" -> c', 'f: a "b" -> *'),
        ('f: a "c" -> c', None),
    ],
)
def test_a_name_has_its_excuse(name: str, excuse: str | None) -> None:
    assert excuse_of(name, read_excuses(TEXT)) == excuse


def test_an_excuse_has_a_line() -> None:
    assert [line_of(excuse, TEXT) for excuse in read_excuses(TEXT)] == [3, 6]


def test_a_reason_is_needed() -> None:
    with pytest.raises(ValueError, match=re.escape(f'{FILE}:2 MUTANTS "a" has no reason -> give one')):
        read_excuses('[equivalent]\n"a" = " "\n')


def test_tests_that_reasons_name_exist() -> None:
    for reason in read_excuses((ROOT / FILE).read_text(encoding="utf-8")).values():
        for file in re.findall(r"tests/[a-z_/.]*[a-z]", reason):
            assert (ROOT / file).exists(), file
