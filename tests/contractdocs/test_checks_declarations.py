"""Drifts within the declarations of clauses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from finalturn._core.turn import Machine
from finalturn._core.turn.table import ClauseId
from finalturn.contract import HANDLER_PARITY, HELD_JSON, SSE_GRAMMAR, USAGE_COMPLETE, Clause, Deprecation
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project

STREAMING = "src/finalturn/_contract/clauses/streaming.py"
IDS = "src/finalturn/_core/turn/table.py"
NOWHERE = cast(ClauseId, "nowhere")


def place(clause: Clause) -> str:
    file, line = PROJECT.place_of_clause(clause.id)
    return f"{file}:{line}"


def with_(clause: Clause, **changes: Any) -> Project:
    return PROJECT.with_clause(replace(clause, **changes))


@pytest.mark.parametrize("code", [kind.code for kind in kinds() if kind.code.startswith("FT0")])
def test_the_repository_has_none(code: str) -> None:
    assert planted(code, PROJECT) == []


WRONG_CLAUSES: list[tuple[str, Clause, dict[str, Any], str]] = [
    (
        "FT02",
        HELD_JSON,
        {"statement": "It MUST do this and MAY do that."},
        "must hold exactly one of MUST, MUST NOT and MAY; found 2 (MUST, MAY) -> split it",
    ),
    ("FT02", HELD_JSON, {"statement": "It does this."}, "found none -> say what it promises"),
    ("FT02", HELD_JSON, {"statement": "It MUST do this, and SHOULD that."}, "says SHOULD, which is no word"),
    ("FT02", HELD_JSON, {"statement": "It MUST NOT do this"}, "does not end its statement with a full stop"),
    ("FT02", HELD_JSON, {"why": ""}, "does not say why in a sentence -> say what goes wrong"),
    ("FT02", HELD_JSON, {"surfaces": frozenset()}, "can be seen on no surface -> name where"),
    (
        "FT03",
        HELD_JSON,
        {"about": (Machine,)},
        "speaks of finalturn._core.turn.machine.Machine, which is not",
    ),
    (
        "FT03",
        SSE_GRAMMAR,
        {"about": ("finalturn.serve.create_nothing",)},
        "create_nothing, which is not public",
    ),
    ("FT06", HELD_JSON, {"about": ()}, "speaks of no public thing -> name in about="),
    ("FT08", HELD_JSON, {"since": "v1.0.0"}, 'says since="v1.0.0"; it must be NEXT or a version such as'),
    ("FT08", HELD_JSON, {"since": "01.0.0"}, 'says since="01.0.0"; it must be NEXT or a version such as'),
    ("FT08", HELD_JSON, {"revised": "1"}, 'says revised="1"; it must be NEXT or a version'),
    ("FT08", HELD_JSON, {"deprecation": Deprecation("x", "2.0.0")}, 'says deprecation.since="x"; it must be'),
    (
        "FT08",
        HELD_JSON,
        {"deprecation": Deprecation("NEXT", "NEXT")},
        'says deprecation.removal="NEXT"; it must be a version such as 2.0.0',
    ),
    (
        "FT09",
        HELD_JSON,
        {"kept_by": ("finalturn._core.held",)},
        "kept by finalturn._core.held, and there is no",
    ),
    (
        "FT0A",
        USAGE_COMPLETE,
        {"deprecation": Deprecation("1.1.0", "2.0.0", NOWHERE)},
        "is deprecated in favour of nowhere, which no clause declares",
    ),
    ("FT0A", USAGE_COMPLETE, {"deprecation": Deprecation("1.1.0", "2.0.0", "usage-complete")}, "is itself"),
    (
        "FT0A",
        USAGE_COMPLETE,
        {"deprecation": Deprecation("1.1.0", "2.0.0", "held-json")},
        "which is only beta",
    ),
]


@pytest.mark.parametrize(("code", "clause", "changes", "said"), WRONG_CLAUSES)
def test_a_clause_that_was_changed(code: str, clause: Clause, changes: dict[str, Any], said: str) -> None:
    (found,) = planted(code, with_(clause, **changes))
    assert found.startswith(f"{place(clause)} {code} ") and said in found and " -> " in found


def test_a_replacement_that_goes_too() -> None:
    project = with_(USAGE_COMPLETE, deprecation=Deprecation("1.1.0", "2.0.0", "handler-parity"))
    assert planted("FT0A", project) == []
    project = project.with_clause(replace(HANDLER_PARITY, deprecation=Deprecation("1.1.0", "2.0.0")))
    assert "in favour of handler-parity, which is deprecated too" in planted("FT0A", project)[0]


def test_a_thing_that_is_no_longer_exported_or_stable() -> None:
    project = PROJECT.edited("src/finalturn/__init__.py", '    "StreamHandler",\n', "")
    assert (
        "handler-parity speaks of finalturn._core.protocols.StreamHandler, which"
        in planted("FT03", project)[0]
    )
    file = "src/finalturn/_core/result.py"
    before, _, after = PROJECT.files[file].partition("class Usage")[0].rpartition("@stable(")
    project = PROJECT.edited(file, f"{before}@stable({after}", f"{before}@beta({after}")
    (found,) = planted("FT04", project)
    assert (
        "usage-complete is stable, and speaks of finalturn.Usage, which is beta -> make the clause" in found
    )


@pytest.mark.parametrize(
    ("code", "file", "old", "new", "said"),
    [
        (
            "FT01",
            STREAMING,
            'id="reasoning-apart"',
            'id="held-json"',
            [f"held-json is declared twice, also in {place(HELD_JSON)}"],
        ),
        (
            "FT07",
            STREAMING,
            "HELD_JSON = Clause(",
            "HELD_BLOCK = Clause(",
            [
                "HELD_BLOCK declares held-json -> call the constant HELD_JSON; an id that was released stays",
                "__all__ does not hold HELD_BLOCK -> add it above",
            ],
        ),
        (
            "FT07",
            IDS,
            '"held-json"',
            '"held-block"',
            [
                f"ClauseId does not list held-json -> list it in {IDS}",
                "no clause declares held-block -> declare it",
            ],
        ),
        ("FT07", STREAMING, '    "HELD_JSON",\n', "", ["__all__ does not hold HELD_JSON"]),
    ],
)
def test_an_id_that_is_not_everywhere_once(code: str, file: str, old: str, new: str, said: list[str]) -> None:
    found = planted(code, PROJECT.edited(file, old, new))
    assert [words in line for words, line in zip(said, found, strict=True)] == [True] * len(said)
