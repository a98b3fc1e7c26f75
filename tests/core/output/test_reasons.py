"""A rejection: a reason that quotes nothing, feedback that tells everything, and both short."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.output import Answer, Rejection, ValidationProblem
from finalturn._core.output.reasons import mismatch, no_value, not_json, quoted, validator_failed
from finalturn._core.output.root import KINDS


def test_a_verdict_cannot_be_changed() -> None:
    answer, rejection = Answer("1", 1), Rejection("why", "why in full")
    with pytest.raises(FrozenInstanceError):
        answer.json = "2"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError):
        rejection.reason = ""  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def test_verdicts_compare_by_value() -> None:
    assert Answer("1", 1) == Answer("1", 1) != Answer("1", 2)
    assert Rejection("a", "b") == Rejection("a", "b") != Rejection("a", "c")


NAMES = frozenset({"items", "qty"})


def test_a_path_shows_declared_names_and_indexes_only_to_clients() -> None:
    problems = [
        ValidationProblem(("items", 0, "qty"), "int_parsing", "no integer; got secret"),
        ValidationProblem(("items", "SECRET-KEY", 12), "missing", "Field required"),
        ValidationProblem((), "value_error", "secret"),
    ]
    rejection = mismatch(problems, NAMES)
    assert rejection.reason == (
        "the answer does not match the schema: "
        "int_parsing at items[0].qty; missing at items.?[12]; value_error"
    )
    assert rejection.feedback.splitlines() == [
        "The answer does not match the schema:",
        "- items[0].qty: no integer; got secret",
        "- items.SECRET-KEY[12]: Field required",
        "- the value: secret",
    ]


def test_a_root_index_and_an_unknown_root_key() -> None:
    assert mismatch([ValidationProblem((3,), "x", "")], NAMES).reason.endswith("x at [3]")
    assert mismatch([ValidationProblem(("who",), "x", "")], NAMES).reason.endswith("x at ?")


def test_ten_problems_are_told_and_more_are_mentioned() -> None:
    problems = [ValidationProblem(("qty",), f"kind_{number}", f"message {number}") for number in range(11)]
    ten, eleven = mismatch(problems[:10], NAMES), mismatch(problems, NAMES)
    assert "kind_9" in ten.reason and "more" not in ten.reason + ten.feedback
    assert eleven.reason.endswith("; kind_9 at qty; and more")
    assert eleven.feedback.endswith("message 9\n- and more")


def test_a_long_path_is_cut() -> None:
    assert mismatch([ValidationProblem(("qty",) * 100, "x", "")], NAMES).reason.count("qty") == 12


@given(
    problems=st.lists(
        st.builds(
            ValidationProblem,
            st.lists(st.text() | st.integers(), max_size=30).map(tuple),
            st.just("kind"),
            st.text(min_size=300),
        ),
        max_size=15,
    ),
    names=st.frozensets(st.text(min_size=90, max_size=100), max_size=3),
)
def test_a_rejection_is_bounded(problems: list[ValidationProblem], names: frozenset[str]) -> None:
    rejection = mismatch(problems, names)
    assert len(rejection.reason) <= 1000
    assert len(rejection.feedback) <= 5000
    rejection.feedback.encode()


def test_half_a_surrogate_pair_does_not_reach_the_request() -> None:
    assert mismatch([ValidationProblem((), "x", "a \ud83d b")], NAMES).feedback.endswith("a \ufffd b")


@pytest.mark.parametrize(
    ("roots", "words"),
    [({"object"}, "object"), ({"null", "object"}, "null or object"), (KINDS, "value"), (set[str](), "")],
)
def test_what_was_looked_for_is_named(roots: set[str], words: str) -> None:
    rejection = no_value(frozenset(roots))
    assert rejection.reason == f"the answer holds no complete JSON {words}"
    assert rejection.feedback == f"The answer holds no complete JSON {words}."


def test_the_words_of_rejections_without_problems() -> None:
    assert not_json(ValueError("bad at column 3")) == Rejection(
        "the answer is not valid JSON", "The answer is not valid JSON: bad at column 3."
    )
    assert validator_failed(KeyError("secret")) == Rejection(
        "a validator failed (KeyError)", "The answer could not be validated: a validator failed (KeyError)."
    )


def test_values_are_quoted_shortly() -> None:
    assert quoted({"a": [1, "é"]}) == '{"a":[1,"é"]}'
    assert len(quoted("x" * 1000)) == 200
    assert quoted(object()) == ""
