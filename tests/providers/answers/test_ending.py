"""When an answer is over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.answers.ending import AFTER_CLOSE, AFTER_MARK, Ending, stated_reason


class Told:
    """An ending that is told of records."""

    def __init__(self) -> None:
        self.ending = Ending()
        self.size = 0

    def __call__(self, *marks: str, content: bool = False) -> Ending:
        for mark in marks:
            if mark == "close":
                self.ending.close()
            elif mark == "failure":
                self.ending.fail()
            else:
                self.ending.mark(mark)
        self.size += content
        self.ending.record(self.size)
        return self.ending


@pytest.fixture
def told() -> Told:
    return Told()


class TestReasons:
    @pytest.mark.parametrize(
        "given", ["", " ", "none", "None", "null", "UNKNOWN", "FINISH_REASON_UNSPECIFIED", None, 0, 7, [], {}]
    )
    def test_what_is_none(self, given: object) -> None:
        assert stated_reason(given) == ""

    @pytest.mark.parametrize("given", ["stop", "STOP", "end_turn", "a reason of tomorrow"])
    def test_what_is_one(self, given: str) -> None:
        assert stated_reason(given) == given


class TestPatience:
    def test_without_a_mark_it_is_that_of_a_live_stream(self, told: Told) -> None:
        assert told.ending.live
        assert (told(content=True).patience, told.ending.settled, told.ending.marked) == (None, False, False)

    def test_a_mark_is_believed(self, told: Told) -> None:
        assert (told("stop", content=True).patience, told.ending.settled) == (AFTER_MARK, True)
        assert not told.ending.live

    def test_so_is_a_close(self, told: Told) -> None:
        told("stop", content=True)
        assert (told("close").patience, told.ending.closed) == (AFTER_CLOSE, True)

    def test_content_behind_it_makes_the_answer_live_again(self, told: Told) -> None:
        told("stop", content=True)
        ending = told(content=True)
        assert (ending.patience, ending.settled, ending.marked) == (None, False, True)

    @pytest.mark.parametrize("beside", [True, False])
    def test_a_mark_that_was_wrong_is_not_believed_again(self, told: Told, beside: bool) -> None:
        told("stop", content=beside)
        told(content=True)
        ending = told("stop", content=beside)
        assert (ending.patience, ending.settled, ending.certain) == (None, True, False)

    def test_one_on_every_piece_is_not_believed(self, told: Told) -> None:
        assert [told("stop", content=True).patience for _ in range(3)] == [AFTER_MARK, None, None]

    @pytest.mark.parametrize(("last", "patience"), [("stop", AFTER_MARK), ("close", AFTER_CLOSE)])
    def test_but_one_of_another_kind_is(self, told: Told, last: str, patience: float) -> None:
        told("stop", content=True)
        told("stop", content=True)
        assert told(last).patience == patience

    def test_another_reason_is_another_kind(self, told: Told) -> None:
        told("stop")
        told(content=True)
        assert told("tool_calls").patience == AFTER_MARK
        assert told("stop").patience == AFTER_MARK

    def test_a_close_that_was_wrong_is_not_believed_either(self, told: Told) -> None:
        told("close", content=True)
        assert not told(content=True).closed
        assert told("close", content=True).patience is None


class TestHeard:
    def test_content_begins_the_wait_anew(self, told: Told) -> None:
        told("stop", content=True)
        before = told.ending.heard
        assert told().heard == before
        assert told("stop").heard == before
        assert told(content=True).heard == before + 1

    def test_any_record_does_where_nothing_has_been_said(self, told: Told) -> None:
        assert [told("stop").heard for _ in range(3)] == [1, 2, 3]


class TestFailure:
    def test_it_is_an_end(self, told: Told) -> None:
        ending = told("failure", content=True)
        assert (ending.patience, ending.settled, ending.certain) == (AFTER_MARK, True, True)
        assert (ending.live, ending.marked, ending.closed) == (False, True, False)

    def test_it_begins_a_wait_of_its_own(self, told: Told) -> None:
        before = told("stop", content=True).heard
        assert told("failure").heard == before + 1

    def test_nothing_more_is_waited_for_behind_a_close(self, told: Told) -> None:
        told("failure")
        assert told("close").patience == AFTER_CLOSE

    def test_a_close_that_was_wrong_says_nothing_of_it(self, told: Told) -> None:
        told("close", content=True)
        told("close", content=True)
        assert told("failure").patience == AFTER_MARK

    @given(
        st.lists(st.booleans(), max_size=3),
        st.lists(
            st.tuples(st.lists(st.sampled_from(["stop", "close", "failure"]), max_size=2), st.booleans())
        ),
    )
    def test_nothing_takes_it_back_or_stretches_the_wait(
        self, before: list[bool], after: list[tuple[list[str], bool]]
    ) -> None:
        told = Told()
        for content in before:
            told("stop", content=content)
        heard = told("failure").heard
        closed = False
        for marks, content in after:
            ending = told(*marks, content=content)
            closed = closed or "close" in marks
            assert (ending.heard, ending.settled, ending.marked, ending.closed) == (heard, True, True, closed)
            assert ending.patience == (AFTER_CLOSE if closed else AFTER_MARK)


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(["stop", "length", "close"]), max_size=2), st.booleans()),
        min_size=1,
    )
)
def test_a_live_wait_is_for_who_has_not_finished_or_lied(records: list[tuple[list[str], bool]]) -> None:
    told = Told()
    for marks, content in records:
        told(*marks, content=content)
    ending = told.ending
    after = max((at for at, (_, content) in enumerate(records) if content), default=0)
    standing = {(mark, content) for marks, content in records[after:] for mark in marks}
    void = {
        (mark, content)
        for at, (marks, content) in enumerate(records)
        for mark in marks
        if any(later for _, later in records[at + 1 :])
    }
    assert ending.settled == bool(standing)
    assert (ending.patience is None) == (standing <= void)
    assert ending.marked == any(marks for marks, _ in records)
