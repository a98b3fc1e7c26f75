"""Messages of one answer, as one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.openai_responses.prose import COMMENTARY, Prose

FINAL = "final_answer"


def shown(*messages: tuple[str, list[str]]) -> str:
    prose = Prose()
    out = before = ""
    for phase, pieces in messages:
        out += prose.begin(phase, before)
        for piece in pieces:
            out += prose.feed(piece)
        before = "".join(pieces) if phase == COMMENTARY else ""
    return out + prose.finish()


def test_one_message_is_its_text_at_once() -> None:
    for phase in ("", FINAL, COMMENTARY):
        prose = Prose()
        assert (prose.begin(phase, ""), prose.feed(" a"), prose.feed("b\n"), prose.finish()) == (
            "",
            " a",
            "b\n",
            "",
        )


def test_messages_without_a_phase_are_one_text() -> None:
    assert shown(("", ["a"]), ("", ["b"])) == "ab"
    assert shown((FINAL, ["a"]), (FINAL, ["b"])) == "ab"


@pytest.mark.parametrize("phase", [FINAL, "", COMMENTARY])
def test_what_follows_commentary_stands_apart(phase: str) -> None:
    assert shown((COMMENTARY, ["Let me", " see."]), (phase, ["It is ", "so."])) == "Let me see.\n\nIt is so."


def test_a_line_that_is_ended_is_apart_enough() -> None:
    assert shown((COMMENTARY, ["Let me see.\n"]), (FINAL, ["So."])) == "Let me see.\nSo."


def test_blank_commentary_is_none() -> None:
    assert shown((COMMENTARY, [" "]), (FINAL, ["So."])) == " So."
    assert shown((COMMENTARY, []), (FINAL, ["So."])) == "So."
    assert shown((COMMENTARY, ["a"]), (COMMENTARY, []), (FINAL, ["b"])) == "a\n\nb"


def test_the_gap_comes_with_the_text() -> None:
    prose = Prose()
    assert prose.begin(FINAL, "a") == ""
    assert prose.feed("b") == "\n\nb"
    assert prose.feed("c") == "c"


class TestRepeats:
    @pytest.mark.parametrize(
        "pieces",
        [["Yes, it is."], ["Yes", ", it ", "is."], ["\n Yes, it is. ", "\n"], ["Yes, it is.", "\n", " "]],
    )
    def test_an_answer_that_only_repeats_it_is_left_out(self, pieces: list[str]) -> None:
        assert shown((COMMENTARY, ["Yes, ", "it is."]), (FINAL, pieces)) == "Yes, it is."

    @pytest.mark.parametrize(
        "pieces", [["Yes"], ["Yes", ", it was."], ["Yes, it is.", " Really."], ["No."], ["Yes, it is. ", "x"]]
    )
    def test_one_that_says_something_else_is_all_there(self, pieces: list[str]) -> None:
        assert shown((COMMENTARY, ["Yes, it is."]), (FINAL, pieces)) == "Yes, it is.\n\n" + "".join(pieces)

    def test_it_is_shown_as_soon_as_it_differs(self) -> None:
        prose = Prose()
        prose.begin(FINAL, "abc")
        assert (prose.feed("ab"), prose.feed("x"), prose.feed("y")) == ("", "\n\nabx", "y")

    def test_two_comments_may_be_the_same(self) -> None:
        assert shown((COMMENTARY, ["Wait."]), (COMMENTARY, ["Wait."])) == "Wait.\n\nWait."

    def test_a_message_that_follows_a_repeated_one_is_apart(self) -> None:
        assert shown((COMMENTARY, ["a"]), (FINAL, ["a"]), (FINAL, ["b"])) == "a\n\nb"

    def test_blank_space_is_no_repeat_and_no_text(self) -> None:
        assert shown((COMMENTARY, ["a"]), (FINAL, [" ", "\n"])) == "a"


PIECES = st.lists(st.text("ab {}\n", max_size=3), max_size=6)


@given(st.lists(st.tuples(st.sampled_from(["", FINAL, COMMENTARY]), PIECES), max_size=4))
def test_the_cuts_change_nothing(messages: list[tuple[str, list[str]]]) -> None:
    assert shown(*messages) == shown(*((phase, ["".join(pieces)]) for phase, pieces in messages))


@given(st.lists(st.tuples(st.sampled_from(["", FINAL, COMMENTARY]), PIECES), max_size=4))
def test_nothing_is_lost_but_a_repetition(messages: list[tuple[str, list[str]]]) -> None:
    out = shown(*messages)
    for _, pieces in messages:
        assert "".join(pieces).strip() in out
