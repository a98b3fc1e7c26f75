"""What is read from docstrings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._tools import docstring as _docstring

GOOGLE = """Look up an order,
    by its number.

    It asks the warehouse.

    Args:
        order: The number: as printed
            on the bill.
        limit (int, optional): How many.

            At least one.
        *rest: More.
        silent:

    Returns:
        text: not an argument
    """

NUMPY = """Look up an order.

    Parameters
    ----------
    order : str
        The number.
    first, last : int, optional
        A range
        of lines.
    bare
        No type.

    Returns
    -------
    text : str
        Not an argument.
    """

SPHINX = """Look up an order.

    :param order: The number,
        as printed.
    :param int limit: How many.
    :returns: nothing
    :raises KeyError: never
    """


def test_google() -> None:
    assert _docstring.summary(GOOGLE) == "Look up an order, by its number."
    assert _docstring.arguments(GOOGLE) == {
        "order": "The number: as printed on the bill.",
        "limit": "How many. At least one.",
        "rest": "More.",
    }


def test_numpy() -> None:
    assert _docstring.summary(NUMPY) == "Look up an order."
    assert _docstring.arguments(NUMPY) == {
        "order": "The number.",
        "first": "A range of lines.",
        "last": "A range of lines.",
        "bare": "No type.",
    }


def test_numpy_at_the_end() -> None:
    assert _docstring.arguments("Do.\n\nParameters\n----------\nx : int\n    First.") == {"x": "First."}


def test_sphinx() -> None:
    assert _docstring.summary(SPHINX) == "Look up an order."
    assert _docstring.arguments(SPHINX) == {"order": "The number, as printed.", "limit": "How many."}


@pytest.mark.parametrize(
    ("doc", "summary"),
    [
        (None, ""),
        ("", ""),
        ("One line.", "One line."),
        ("Args:\n    x: first", ""),
        ("Parameters\n----------\nx : int", ""),
        (":param x: first", ""),
        ("Note:", "Note:"),
        ("Do it.\nArgs:\n    x: at once", "Do it."),
    ],
)
def test_summary(doc: str | None, summary: str) -> None:
    assert _docstring.summary(doc) == summary


def test_a_docstring_that_starts_with_its_arguments() -> None:
    doc = """Args:
        order: The number.
        limit: How many.
    """
    assert _docstring.summary(doc) == ""
    assert _docstring.arguments(doc) == {"order": "The number.", "limit": "How many."}


def test_a_section_that_is_empty() -> None:
    assert _docstring.arguments("Do.\n\nArgs:\n\nReturns:\n    x: y") == {}
    assert _docstring.arguments("Do.\n\nArgs:") == {}


@given(st.text(alphabet="Args:Parmet -\n:x\t", max_size=200))
def test_any_text_is_read(doc: str) -> None:
    assert "\n" not in _docstring.summary(doc)
    assert all(name and text for name, text in _docstring.arguments(doc).items())
