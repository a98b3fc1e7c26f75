"""Reasoning tags and call tokens, and how they are prepared for the search."""

from __future__ import annotations

from finalturn._core.markup import EVERY_TAG, HARMONY, THINK, BlockEnd, Markup, Tag, closing


def test_behind_a_block_stands_prose_unless_it_says_otherwise() -> None:
    assert BlockEnd((), "text", 2).then is None
    assert BlockEnd((), "text", 2, THINK).then is THINK


def test_tags_of_the_same_tokens_are_equal() -> None:
    assert Tag("<a>", ("</a>",)) == Tag("<a>", ("</a>",)) != THINK


def test_each_is_another_tag_with_an_end_of_its_own() -> None:
    assert len({tag.open for tag in EVERY_TAG}) == len(EVERY_TAG)
    assert len({close for tag in EVERY_TAG for close in tag.closes}) == len(EVERY_TAG)
    assert all(tag.open and tag.open not in tag.closes for tag in EVERY_TAG)
    assert THINK in EVERY_TAG


def test_a_header_is_no_single_token() -> None:
    assert not HARMONY.open
    assert HARMONY not in EVERY_TAG


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
    assert ends.first_characters == "<["
    assert closing(("</a>", "[/b]")) is ends
