"""Where code ends that a model quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.markup.quoted import QuotedCode


def ends(pieces: list[str], mark: str) -> int | None:
    code = QuotedCode(mark)
    before = 0
    for piece in pieces:
        end = code.follow(piece, 0)
        if end is not None:
            return before + end
        before += len(piece)
    return None


@pytest.mark.parametrize(
    ("text", "end"),
    [
        # A span ends behind as many marks, and with its line.
        ("`a` b", 3),
        ("`a``b` c", 6),
        ("``a`b`` c", 7),
        ("`a\nb` c", 2),
        ("``\n", 2),
        ("``` a ``` b", 9),
        ("`a`", None),
        ("`a", None),
        ("`", None),
        # A fence ends with a line of nothing but as many marks, or more.
        ("```\na\n```\nb", 9),
        ("```py\na\n  ````  \r\nb", 17),
        ("```\n``` a\n``\na```\n```\nb", 21),
        ("````\n```\n````\nb", 13),
        ("> ```\n> a\n> ```\nb"[2:], 13),
        ("```\n\n\n```\n", 9),
        ("```\na\n```", None),
        ("```\na\n``` ", None),
        ("```\na", None),
        ("~~~ `\na\n~~~\nb", 11),
        ("~~~ ~~~ x\na\n~~~\nb", 15),
        ("~~~~\na\n~~~\n~~~~~ \nb", 17),
        ("~~~\n```\n~~~\nb", 11),
        # Fewer tildes are none.
        ("~a", 1),
        ("~~ a", 2),
        ("~~", None),
    ],
)
def test_where_it_ends(text: str, end: int | None) -> None:
    mark = text[0]
    assert ends([text], mark) == ends(list(text), mark) == end


@given(st.text(alphabet="`~\n a>\r"), st.integers(0, 40), st.sampled_from("`~"))
def test_cuts_change_nothing(text: str, place: int, mark: str) -> None:
    text = mark + text
    assert ends([text], mark) == ends(list(text), mark) == ends([text[:place], text[place:]], mark)


def test_reading_begins_where_it_is_told() -> None:
    assert QuotedCode("`").follow("a ``` `b` c", 6) == 9
