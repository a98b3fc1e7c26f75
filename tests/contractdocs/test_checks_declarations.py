"""Drifts within the declarations of clauses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finalturn._core.turn import Machine
from finalturn.contract import HELD_JSON, SSE_GRAMMAR, Clause, Deprecation
from tests.contractdocs._plant import PROJECT, Planted, planted
from tools.contractdocs.api.model import Api


def with_(clause: Clause, **changes: Any) -> Planted:
    return PROJECT.with_clause(replace(clause, **changes))


def with_symbols(**changes: Any) -> Planted:
    """The repository with other public names: by path, what changes of one, or ``None`` without it."""
    symbols = dict(PROJECT.api.symbols)
    for path, change in changes.items():
        del symbols[path]
        symbols |= {} if change is None else {path: replace(PROJECT.api.symbols[path], **change)}
    project = Planted(PROJECT.files)
    vars(project)["api"] = Api(symbols)
    return project


@pytest.mark.parametrize("code", ["FT01", "FT02", "FT03", "FT04", "FT08"])
def test_the_repository_has_none(code: str) -> None:
    assert planted(code, PROJECT) == []


@pytest.mark.parametrize(
    ("code", "clause", "changes", "said"),
    [
        ("FT02", HELD_JSON, {"statement": "It MUST do this and MAY do that."}, "found 2 (MUST, MAY) -> "),
        ("FT02", HELD_JSON, {"statement": "It does this."}, "found none -> say one thing"),
        ("FT02", HELD_JSON, {"surfaces": frozenset[Any]()}, "can be seen on no surface -> name where"),
        ("FT03", HELD_JSON, {"about": (Machine,)}, "finalturn._core.turn.machine.Machine, which is not"),
        ("FT03", SSE_GRAMMAR, {"about": ("finalturn.serve.create_nothing",)}, "nothing, which is not public"),
        ("FT03", HELD_JSON, {"about": ()}, "speaks of no public thing -> name in about="),
        ("FT08", HELD_JSON, {"since": "v1.0.0"}, 'says since="v1.0.0", which is no version'),
        ("FT08", HELD_JSON, {"revised": "01.0.0"}, 'says revised="01.0.0", which is no version'),
        (
            "FT08",
            HELD_JSON,
            {"deprecation": Deprecation("NEXT", "NEXT")},
            'deprecation.removal="NEXT", which',
        ),
    ],
)
def test_a_clause_that_was_changed(code: str, clause: Clause, changes: dict[str, Any], said: str) -> None:
    (found,) = planted(code, with_(clause, **changes))
    file, line = PROJECT.place_of_clause(clause.id)
    assert found.startswith(f"{file}:{line} {code} ") and said in found and " -> " in found


def test_a_thing_that_is_no_longer_exported_or_stable() -> None:
    (found, *_) = planted("FT03", with_symbols(**{"finalturn.StreamHandler": None}))
    assert "handler-parity speaks of finalturn._core.protocols.StreamHandler, which" in found
    (found,) = planted("FT04", with_symbols(**{"finalturn.Usage": {"level": "beta"}}))
    assert "usage-complete is stable, and speaks of finalturn.Usage, which is beta -> make" in found


def test_an_id_that_is_not_everywhere_once() -> None:
    twice = replace(PROJECT, clauses=(*PROJECT.clauses, HELD_JSON)).sharing(PROJECT)
    (found,) = planted("FT01", twice)
    assert "FT01 id-mismatch: held-json is declared twice -> give one of them an id of its own" in found
    for other in (None, {"signature": "HELD_JSON = Clause(id='held-block', ...)"}):
        (found,) = planted("FT01", with_symbols(**{"finalturn.contract.HELD_JSON": other}))
        assert "finalturn.contract has no HELD_JSON that declares held-json -> call the constant" in found
