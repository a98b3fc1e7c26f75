"""Stable names and clauses that speak of beta ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.kinds.api_beta import beta_names, speaks_of

REMEDY = "make it beta, promote the other, or say that it holds without the other"
NAMES = {name.path: name for name in beta_names(PROJECT)}
SINGLE_PASS = "finalturn.StructuredOutputConfig.single_pass"
HOLD_JSON = "finalturn.StructuredOutputConfig.hold_json"
ANSWER_CALL = "finalturn.AgentResult.answer_call"


def place(path: str) -> str:
    symbol = PROJECT.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


def test_the_repository_as_it_is() -> None:
    assert planted("FT49", PROJECT) == []


def test_what_is_beta() -> None:
    assert {SINGLE_PASS, HOLD_JSON, ANSWER_CALL, "finalturn.local.LocalModel", "held-json"} <= NAMES.keys()
    assert "finalturn.local.LocalModel.url" not in NAMES


def test_in_a_signature() -> None:
    file, path = "src/finalturn/_sessions/memory.py", "finalturn.sessions.InMemorySessions.load"
    project = PROJECT.edited(
        file, "def load(self, session: str, /)", "def load(self, session: LocalModel, /)"
    )
    project = project.edited(
        file, "import threading\n", "import threading\nfrom finalturn.local import LocalModel\n"
    )
    symbol = project.api.symbols[path]
    assert planted("FT49", project) == [
        f"{symbol.file}:{symbol.line} FT49 stable-mentions-beta: {path} is stable and has in its signature"
        f" finalturn.local.LocalModel, which is beta -> {REMEDY}"
    ]


def test_as_the_type_of_a_field_said_once() -> None:
    file, path = "src/finalturn/_core/result.py", "finalturn.Usage.input_tokens"
    project = PROJECT.edited(file, "    input_tokens: int = 0", "    input_tokens: LocalModel = 0")
    project = project.edited(
        file, "from finalturn.stability", "from finalturn.local import LocalModel\nfrom x"
    )
    symbol = project.api.symbols[path]
    assert planted("FT49", project) == [
        f"{symbol.file}:{symbol.line} FT49 stable-mentions-beta: {path} is stable and has in its signature"
        f" finalturn.local.LocalModel, which is beta -> {REMEDY}"
    ]


def test_in_a_docstring() -> None:
    project = PROJECT.edited(
        "src/finalturn/_agent/stream.py",
        "Iterate it once, from one task at a time.",
        "Iterate it once, from one task at a time. With hold_json it holds text back.",
    )
    assert planted("FT49", project) == [
        f"{place('finalturn.AgentStream')} FT49 stable-mentions-beta: finalturn.AgentStream is stable and"
        f" speaks of {HOLD_JSON}, which is beta -> {REMEDY}"
    ]


def test_in_the_description_of_a_stable_field_and_not_in_its_own() -> None:
    file = "src/finalturn/_agent/config.py"
    project = PROJECT.edited(file, "        native: use", "        native: needed by single_pass; use")
    path = "finalturn.StructuredOutputConfig.native"
    assert planted("FT49", project) == [
        f"{place(path)} FT49 stable-mentions-beta: {path} is stable and speaks of {SINGLE_PASS}, which is"
        f" beta -> {REMEDY}"
    ]


def test_a_word_of_the_language_counts_only_as_a_name() -> None:
    check, record = NAMES["finalturn.contract.Clause.check"], NAMES["finalturn.testing.record"]
    assert speaks_of("What `Clause.check` finds.", check)
    assert not speaks_of("A `check` of it.", check)
    assert speaks_of("What `record` wrote.", record)
    assert not speaks_of("Each record of it.", record)


def test_in_a_clause() -> None:
    clause = next(one for one in PROJECT.clauses if one.id == "result-is-last")
    project = PROJECT.with_clause(replace(clause, why="A surface reads `answer_call` there."))
    file, line = PROJECT.place_of_clause("result-is-last")
    assert planted("FT49", project) == [
        f"{file}:{line} FT49 stable-mentions-beta: result-is-last is stable and speaks of {ANSWER_CALL},"
        f" which is beta -> {REMEDY}"
    ]


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("With single_pass it is so.", True),
        ("With `single_pass` it is so.", True),
        ("single_pass and the rest.", True),
        ("In final_turn_only without single_pass, it is so.", False),
        ("unless `single_pass` is active", False),
        ("where single_pass is not active", False),
        ("where `single_pass` is off", False),
        ("in every mode but for single_pass", False),
        ("single_pass apart, it is so", False),
        ("single_pass=False", False),
        ("without single_pass; with single_pass too", True),
        ("single_passes", False),
    ],
)
def test_what_excludes(text: str, speaks: bool) -> None:
    assert speaks_of(text, NAMES[SINGLE_PASS]) is speaks
