"""Drifts within the declarations of clauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn.contract import (
    HANDLER_PARITY,
    HELD_JSON,
    SSE_GRAMMAR,
    USAGE_COMPLETE,
    Clause,
    Deprecation,
    Surface,
)
from finalturn.core.clauses import ClauseId
from finalturn.core.turn import Machine
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.project import Project

STREAMING = "src/finalturn/contract/_streaming.py"
INIT = "src/finalturn/contract/__init__.py"
IDS = "src/finalturn/core/clauses.py"


def place(clause: Clause) -> str:
    file, line = PROJECT.place_of_clause(clause.id)
    return f"{file}:{line}"


def with_(clause: Clause, **changes: object) -> Project:
    return PROJECT.with_clause(replace(clause, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [f"FT0{number}" for number in "12346789A"])
def test_the_repository_has_none(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestDuplicateId:
    def test_two_declarations(self) -> None:
        project = PROJECT.edited(STREAMING, 'id="reasoning-apart"', 'id="held-json"')
        line = project.line_of(STREAMING, "REASONING_APART = Clause(") + 1
        assert planted("FT01", project) == [
            f"{STREAMING}:{line} FT01 duplicate-id: held-json is declared twice, also in {place(HELD_JSON)}"
            " -> give one of them an id of its own"
        ]

    def test_one_that_is_listed_twice(self) -> None:
        head = "CLAUSES: tuple[Clause, ...] = (\n"
        project = PROJECT.edited(INIT, head, head + "    HELD_JSON,\n")
        line = project.line_of(INIT, "    HELD_JSON,\n    TOOL_CALLS_ALWAYS_STREAM,\n    TEXT")
        assert planted("FT01", project) == [
            f"{INIT}:{line} FT01 duplicate-id: CLAUSES holds HELD_JSON twice"
            " -> give one of them an id of its own"
        ]


class TestVagueStatement:
    @pytest.mark.parametrize(
        ("changes", "said", "do"),
        [
            (
                {"statement": "It MUST do this and MAY do that."},
                "must hold exactly one of MUST, MUST NOT and MAY; found 2 (MUST, MAY)",
                "split it into as many clauses",
            ),
            (
                {"statement": "It does this."},
                "must hold exactly one of MUST, MUST NOT and MAY; found none",
                "say what it promises",
            ),
            (
                {"statement": "It MUST do this, and SHOULD do that."},
                "says SHOULD, which is no word of this contract",
                "say MUST, MUST NOT or MAY",
            ),
            (
                {"statement": "It MUST NOT do this"},
                "does not end its statement with a full stop",
                "make it a sentence",
            ),
            (
                {"why": ""},
                "does not say why in a sentence",
                "say what goes wrong for someone without it",
            ),
            (
                {"surfaces": frozenset[Surface]()},
                "can be seen on no surface",
                "name where it can be observed",
            ),
        ],
    )
    def test_a_weak_sentence(self, changes: dict[str, object], said: str, do: str) -> None:
        assert planted("FT02", with_(HELD_JSON, **changes)) == [
            f"{place(HELD_JSON)} FT02 vague-statement: held-json {said} -> {do}"
        ]


class TestAbout:
    def test_a_private_thing(self) -> None:
        assert planted("FT03", with_(HELD_JSON, about=(Machine,))) == [
            f"{place(HELD_JSON)} FT03 about-private: held-json speaks of"
            " finalturn.core.turn._machine.Machine, which is not public"
            " -> speak of a public thing, or export it"
        ]

    def test_a_path_that_leads_nowhere(self) -> None:
        about = ("finalturn.serve.create_app", "finalturn.serve.create_nothing")
        assert planted("FT03", with_(SSE_GRAMMAR, about=about)) == [
            f"{place(SSE_GRAMMAR)} FT03 about-private: sse-grammar speaks of finalturn.serve.create_nothing,"
            " which is not public -> speak of a public thing, or export it"
        ]

    def test_a_thing_that_is_no_longer_exported(self) -> None:
        project = PROJECT.edited("src/finalturn/__init__.py", '    "StreamHandler",\n', "")
        assert planted("FT03", project) == [
            f"{place(HANDLER_PARITY)} FT03 about-private: handler-parity speaks of"
            " finalturn.core.protocols.StreamHandler, which is not public"
            " -> speak of a public thing, or export it"
        ]

    def test_a_stable_clause_about_a_beta_thing(self) -> None:
        file = "src/finalturn/core/result.py"
        head = PROJECT.files[file].partition("class Usage")[0]
        before, _, after = head.rpartition("@stable(")
        project = PROJECT.edited(file, head, f"{before}@beta({after}")
        assert planted("FT04", project) == [
            f"{place(USAGE_COMPLETE)} FT04 stable-on-beta: usage-complete is stable, and speaks of"
            " finalturn.Usage, which is beta -> make the clause beta, or the thing stable"
        ]

    def test_nothing(self) -> None:
        assert planted("FT06", with_(HELD_JSON, about=())) == [
            f"{place(HELD_JSON)} FT06 nothing-about: held-json speaks of no public thing"
            " -> name in about= what it is a promise of"
        ]


class TestIdMismatch:
    def test_a_constant_of_another_name(self) -> None:
        project = PROJECT.edited(STREAMING, "HELD_JSON = Clause(", "HELD_BLOCK = Clause(")
        assert planted("FT07", project) == [
            f"{place(HELD_JSON)} FT07 id-mismatch: HELD_BLOCK declares held-json"
            " -> call the constant HELD_JSON; an id that was released stays",
            f"{place(HELD_JSON)} FT07 id-mismatch: CLAUSES does not hold HELD_BLOCK -> add it in {INIT}",
            f"{place(HELD_JSON)} FT07 id-mismatch: __all__ does not hold HELD_BLOCK -> add it in {INIT}",
        ]

    def test_an_id_of_the_core_that_no_clause_declares(self) -> None:
        project = PROJECT.edited(IDS, '"held-json"', '"held-block"')
        assert planted("FT07", project) == [
            f"{place(HELD_JSON)} FT07 id-mismatch: ClauseId does not list held-json -> list it in {IDS}",
            f"{IDS}:{project.line_of(IDS, 'held-block')} FT07 id-mismatch: no clause declares held-block"
            " -> declare it, or take the id out",
        ]

    def test_a_clause_that_is_not_in_the_list(self) -> None:
        project = PROJECT.edited(INIT, "    HELD_JSON,\n    TOOL_CALLS", "    TOOL_CALLS")
        assert planted("FT07", project) == [
            f"{place(HELD_JSON)} FT07 id-mismatch: CLAUSES does not hold HELD_JSON -> add it in {INIT}"
        ]


class TestBadSince:
    @pytest.mark.parametrize("version", ["", "1.0", "v1.0.0", "01.0.0", "soon", "next"])
    def test_what_is_no_version(self, version: str) -> None:
        assert planted("FT08", with_(HELD_JSON, since=version)) == [
            f'{place(HELD_JSON)} FT08 bad-since: held-json says since="{version}"; it must be NEXT or a'
            " version such as 1.2.0 -> write NEXT for what comes with the next release, else the version"
        ]

    def test_every_version_that_a_clause_names(self) -> None:
        project = with_(HELD_JSON, revised="1", deprecation=Deprecation("x", "NEXT"))
        assert [
            line.partition("held-json says ")[2].partition(";")[0] for line in planted("FT08", project)
        ] == [
            'revised="1"',
            'deprecation.since="x"',
            'deprecation.removal="NEXT"',
        ]

    def test_a_version(self) -> None:
        assert planted("FT08", with_(HELD_JSON, since="10.0.3", revised="11.0.0")) == []


class TestLinks:
    def test_a_module_that_is_gone(self) -> None:
        assert planted("FT09", with_(HELD_JSON, kept_by=("finalturn.core.hold", "finalturn.core.held"))) == [
            f"{place(HELD_JSON)} FT09 kept-by-nothing: held-json is kept by finalturn.core.held, and there is"
            " no such module -> name the module that keeps it now"
        ]

    @pytest.mark.parametrize(
        ("use", "said"),
        [
            ("nowhere", "which no clause declares"),
            ("usage-complete", "which is itself"),
            ("held-json", "which is only beta"),
        ],
    )
    def test_a_replacement_that_is_less(self, use: ClauseId, said: str) -> None:
        project = with_(USAGE_COMPLETE, deprecation=Deprecation("1.1.0", "2.0.0", use))
        assert planted("FT0A", project) == [
            f"{place(USAGE_COMPLETE)} FT0A weak-replacement: usage-complete is deprecated in favour of {use},"
            f" {said} -> name a clause that is as stable, or None"
        ]

    def test_a_replacement_that_goes_too(self) -> None:
        project = with_(USAGE_COMPLETE, deprecation=Deprecation("1.1.0", "2.0.0", "handler-parity"))
        assert planted("FT0A", project) == []
        project = project.with_clause(replace(HANDLER_PARITY, deprecation=Deprecation("1.1.0", "2.0.0")))
        (found,) = planted("FT0A", project)
        assert "in favour of handler-parity, which is deprecated too" in found
