"""Blank space and markup that wait for what comes next."""

from __future__ import annotations

from finalturn._core.hold.pending import Opener, Pending


def test_an_answer_takes_the_blank_space_before_it_and_the_markup_around_it() -> None:
    pending = Pending()
    pending.add(" ")
    pending.open(Opener("<", name="a"), "<a>")
    pending.add("\n")
    pending.open(Opener("`", ticks=3), "```")
    pending.add("\n ")
    pending.hide()
    assert pending.length == len(" <a>\n```")
    pending.add(" ")
    pending.close()
    assert [opener.hidden for opener in pending.openers] == [True]
    pending.add(" ")
    pending.close()
    assert pending.length == 0
    assert pending.take() == ""


def test_all_of_it_is_shown_before_something_else() -> None:
    pending = Pending()
    pending.add(" ")
    pending.open(Opener("<", name="a"), "<a>")
    pending.hide()
    pending.add("\n")
    assert pending.take() == " <a>\n"
    assert (pending.take(), pending.length, pending.innermost) == ("", 0, None)


def test_whether_a_line_has_ended_since_markup() -> None:
    pending = Pending()
    outer, inner = Opener("`", ticks=3), Opener("`", ticks=1)
    pending.add("\n")
    pending.open(outer, "```")
    assert not pending.ends_line(outer)
    pending.add("\r")
    pending.open(inner, "`")
    assert pending.innermost is inner
    assert (pending.ends_line(outer), pending.ends_line(inner)) == (True, False)


def test_at_the_end_markup_around_nothing_but_an_answer_goes() -> None:
    pending = Pending()
    pending.open(Opener("<", name="a"), "<a>")
    pending.add(" ")
    pending.open(Opener("`", ticks=3), "```")
    pending.hide()
    pending.add("\n")
    pending.open(Opener("`", ticks=2), "``")
    pending.drop_markup()
    assert pending.take() == ""


def test_at_the_end_other_markup_stays() -> None:
    pending = Pending()
    pending.open(Opener("`", ticks=3), "```")
    pending.add("\n")
    pending.open(Opener("<", name="a"), "<a>")
    pending.drop_markup()
    assert pending.take() == "```\n<a>"
