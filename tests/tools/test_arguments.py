"""How problems with arguments are told."""

from __future__ import annotations

from finalturn._tools.arguments import problem_list, quote


def test_quoting() -> None:
    assert quote("x") == '"x"'
    assert quote({"a": 1}) == '{"a":1}'
    assert quote(object()) == "object"
    assert quote("y" * 200) == '"' + "y" * 79 + "..."


def test_a_list_of_problems() -> None:
    found = [((), "odd"), (("a", 1, "b"), "missing"), ((0,), "first")]
    assert problem_list(found) == "- the arguments: odd\n- a[1].b: missing\n- [0]: first"
    assert problem_list([(("x",), "bad")] * 12).endswith("- x: bad\n- and more")
