"""The small mutants of functions."""

from __future__ import annotations

import ast

import pytest

from finalturn._core.turn import TABLE
from finalturn._core.turn import messages as _messages
from finalturn._core.turn import shows as _shows
from tools.mutants._code import units
from tools.mutants._functions import changes_of, clauses_of_parts, mutants_of_function


def changes(body: str, returns: str = "object") -> list[str]:
    lines = "\n    ".join(body.splitlines())
    (node,) = ast.parse(f"def f(a, b, state) -> {returns}:\n    {lines}").body
    assert isinstance(node, ast.FunctionDef)
    return [str(change) for change in changes_of(node)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a == b", ["a == b -> a != b"]),
        ("return a < b", ["a < b -> a >= b", "a < b -> a <= b"]),
        ("return a is not b", ["a is not b -> a is b"]),
        ("return a in b", ["a in b -> a not in b"]),
        ("return not a", ["not a -> a"]),
        ("return a and b", ["a and b -> b", "a and b -> a"]),
        ("return a or b", ["a or b -> b", "a or b -> a"]),
        ("return a if b else state", ["a if b else state -> a", "a if b else state -> state"]),
        ("return a + b", ["a + b -> a", "a + b -> b"]),
        ("return True", ["True -> False"]),
        ("return 1", ["1 -> 2"]),
        ("return a == 'x'", ["a == 'x' -> a != 'x'", "'x' -> 'mutated'"]),
        ("return (a, *b)", ["(a, *b) -> (*b,)", "(a, *b) -> (a,)", "(a, *b) -> (*b, a)"]),
        (
            "return [a for a in b if a]",
            [f"[a for a in b if a] -> [a for a in {one}]" for one in ("b", "reversed(list(b)) if a")],
        ),
        ("return replace(a, b=1)", ["replace(a, b=1) -> replace(a)", "1 -> 2"]),
        ("return a(b=state)", []),
        ("a.b = b", ["a.b = b -> pass"]),
        ("a.append(b)", ["a.append(b) -> pass"]),
        ("a += b", ["a += b -> pass"]),
        ("if a:\n    return\nreturn b", ["a -> not a", "return -> pass"]),
    ],
)
def test_changes(body: str, expected: list[str]) -> None:
    assert changes(body) == expected


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ("bool", ["a -> False", "a -> True"]),
        ("str", ['a -> ""'.replace('"', "'")]),
        ("tuple[Message, ...]", ["a -> ()"]),
        ("Sequence[StreamChunk]", ["a -> ()"]),
        ("State", ["a -> state"]),
        ("int | None", ["a -> None"]),
        ("AgentResult", []),
    ],
)
def test_constant_results(returns: str, expected: list[str]) -> None:
    assert changes("return a", returns) == expected


@pytest.mark.parametrize(
    "body",
    [
        "assert a == b",
        "raise ValueError(a + b)",
        "expect_usage(a)",
        "self._portal.check('x')",
        "_warn(a)",
        "import a.b",
        "return zip(a, b, strict=True)",
    ],
)
def test_what_only_checks_is_left_as_it_is(body: str) -> None:
    assert changes(body) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a.b if a else state", ["a.b if a else state -> state"]),
        (
            "return state if a is None else a.b",
            ["state if a is None else a.b -> state", "a is None -> a is not None"],
        ),
        (
            "return a is not None and a.b",
            ["a is not None and a.b -> a is not None", "a is not None -> a is None"],
        ),
    ],
)
def test_a_test_that_narrows_a_type_is_not_taken_away(body: str, expected: list[str]) -> None:
    assert changes(body) == expected


def test_a_change_that_is_none_is_left_out() -> None:
    assert changes("return (a, a)") == ["(a, a) -> (a,)", "(a, a) -> (a,)"]


def test_blocks_of_a_function_are_changed_too() -> None:
    assert changes("for one in a:\n    if one == b:\n        continue") == [
        "one == b -> one != b",
        "continue -> pass",
    ]


def test_mutants_of_functions_have_names_places_and_sites() -> None:
    mutants = list(mutants_of_function(units("tests.mutants._sample")[0], ("x",)))
    assert [(mutant.name.rpartition("positive: ")[2], mutant.line) for mutant in mutants] == [
        ("number > 0 -> False", 10),
        ("number > 0 -> True", 10),
        ("number > 0 -> number <= 0", 10),
        ("number > 0 -> number >= 0", 10),
        ("0 -> 1", 10),
    ]
    assert {mutant.sites for mutant in mutants} == {frozenset({"tests/mutants/_sample.py positive 0"})}


def test_functions_keep_what_their_rules_uphold() -> None:
    clauses = clauses_of_parts(TABLE)
    assert "default-mode-streams" in clauses[_shows.content]  # type: ignore[index]
    assert "synthesis-start-once" not in clauses[_shows.content]  # type: ignore[index]
    assert "tool-name-always" in clauses[_messages.tool_message]  # type: ignore[index]
