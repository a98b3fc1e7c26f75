"""Names with two homes, and names with none."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted

GATES = "src/finalturn/gates.py"
LISTED = '__all__ = ["provider_check"]'


@pytest.mark.parametrize("code", ["FT42", "FT4D", "FT4F"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


def test_two_homes() -> None:
    project = PROJECT.edited(
        GATES, LISTED, f'from finalturn import ToolPolicy\n\n{LISTED[:-1]},\n    "ToolPolicy",\n]'
    )
    line = project.line_of(GATES, '"ToolPolicy"')
    assert planted("FT42", project) == [
        f"{GATES}:{line} FT42 two-homes: finalturn.gates.ToolPolicy is public as finalturn.ToolPolicy too ->"
        " keep it in the __all__ of one of the two modules"
    ]


def test_a_name_that_is_nowhere() -> None:
    project = PROJECT.edited(GATES, LISTED, '__all__ = ["gone", "provider_check"]')
    assert planted("FT4D", project) == [
        f"{GATES}:{PROJECT.line_of(GATES, LISTED)} FT4D name-nowhere: __all__ of finalturn.gates lists"
        " 'gone', which the module does not have -> define or import it there, or take it out of __all__"
    ]


def test_a_name_that_is_listed_twice() -> None:
    project = PROJECT.edited(GATES, LISTED, '__all__ = ["provider_check", "provider_check"]')
    assert planted("FT4F", project) == [
        f"{GATES}:{PROJECT.line_of(GATES, LISTED)} FT4F listed-twice: __all__ of finalturn.gates lists"
        " 'provider_check' twice -> delete one of the two"
    ]
