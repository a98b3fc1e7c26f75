"""The tokens of a markup, prepared for the search."""

from __future__ import annotations

from finalturn._core.markup import THINK, Markup, closing


def test_a_closing_token_is_a_stray_unless_it_begins_something() -> None:
    markup = Markup([THINK], strays=["<x>"], frames=["<y>"])
    assert markup.strays == {"</think>", "<x>"}
    assert Markup([THINK], frames=["</think>"]).strays == set()


def test_the_marks_are_what_a_token_begins_with_and_what_quotes_code() -> None:
    quoting = Markup([THINK], strays=["[x]"])
    assert [bool(quoting.mark.search(text)) for text in ("<", "[", "`", "~", "a]>/")] == [True] * 4 + [False]
    plain = Markup([THINK], quotes=False)
    assert [bool(plain.mark.search(text)) for text in ("<", "[", "`", "~")] == [True, False, False, False]
    assert plain.opening.findall("`<think>~") == ["<think>"]


def test_every_beginning_of_a_token_is_known() -> None:
    assert "<thin" in Markup([THINK]).prefixes
    assert THINK.open not in Markup([THINK]).prefixes
    ends = closing(("</a>", "[/b]"))
    assert ends.prefixes == {"<", "</", "</a", "[", "[/", "[/b"}
    assert ends.first == "<["
    assert closing(("</a>", "[/b]")) is ends
