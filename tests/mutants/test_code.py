"""Functions whose code is replaced while the program runs."""

from __future__ import annotations

import ast

import pytest

from tests.mutants import _sample
from tests.mutants._sample import Counter, positive
from tools.mutants._code import site, statements, swapped, unit_at, units

SAMPLE = "tests.mutants._sample"


def test_units_are_functions_and_methods() -> None:
    assert [one.name for one in units(SAMPLE)] == [
        "positive",
        "sizes",
        "later",
        "halves",
        "Counter.__init__",
        "Counter.add",
        "Counter.double",
        "Counter.of",
        "Counter.steps",
    ]
    assert {one.file for one in units(SAMPLE)} == {"tests/mutants/_sample.py"}


def test_a_name_that_is_bound_elsewhere_runs_the_other_code() -> None:
    one = unit_at(f"{SAMPLE}:positive")
    compared = next(node for node in ast.walk(one.node) if isinstance(node, ast.Compare))
    with swapped([(one, one.changed({compared: ast.Constant(True)}))]):
        assert positive(-1)
        assert _sample.positive(-1)
    assert not positive(-1)


@pytest.mark.parametrize("name", ["Counter.add", "Counter.double", "Counter.of", "Counter.steps"])
def test_each_kind_of_method_can_be_replaced_and_comes_back(name: str) -> None:
    one = unit_at(f"{SAMPLE}:{name}")
    before = one.function.__code__
    last = one.node.body[-1]
    with swapped([(one, one.changed({last: ast.parse("raise KeyError('swapped')").body[0]}))]):
        counter = Counter()
        with pytest.raises(KeyError, match="swapped"):
            counter.add(counter.double + Counter.of(1).count + len(list(counter.steps())))
    assert one.function.__code__ is before
    assert Counter.of(2).double == 4


def test_a_generator_stays_one_without_its_last_yield() -> None:
    one = unit_at(f"{SAMPLE}:Counter.steps")
    with swapped([(one, one.changed({one.node.body[-1]: ast.Pass()}))]):
        assert list(Counter.of(3).steps()) == []
    assert list(Counter.of(3).steps()) == [0, 1, 2]


def test_code_comes_back_after_an_exception() -> None:
    one = unit_at(f"{SAMPLE}:positive")
    with pytest.raises(ZeroDivisionError), swapped([(one, one.changed({}))]):
        raise ZeroDivisionError
    assert positive(1)


def test_there_is_no_unit_of_another_name() -> None:
    with pytest.raises(LookupError, match="_sample:nowhere, which does not exist"):
        unit_at(f"{SAMPLE}:nowhere")


def test_sites_are_statements_without_the_docstring() -> None:
    one = unit_at(f"{SAMPLE}:sizes")
    assert [type(statement).__name__ for statement in statements(one.node)] == [
        "AnnAssign",
        "For",
        "If",
        "Expr",
        "Return",
    ]
    assert site(one, statements(one.node)[3]) == "tests/mutants/_sample.py sizes 3"
    documented = unit_at(f"{SAMPLE}:positive")
    assert len(statements(documented.node)) == 1
