"""Reasoning between tags in the text."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn.providers._think import MAX_BLANK, ThinkSplitter


def split(pieces: Iterable[str]) -> tuple[str, str]:
    splitter = ThinkSplitter()
    found = [splitter.feed(piece) for piece in pieces]
    found.append(splitter.finish())
    return "".join(pair[0] for pair in found), "".join(pair[1] for pair in found)


@pytest.mark.parametrize(
    ("text", "reasoning", "said"),
    [
        ("<think>hm</think>yes", "hm", "yes"),
        (" \n<think>\nhm\n</think>\n\nyes\n", "hm\n", "yes\n"),
        ("<think>\r\nhm</think>\r\n\r\nyes", "hm", "yes"),
        ("<think>\n\n</think>\n\nyes", "", "yes"),
        ("<think></think>yes", "", "yes"),
        ("<think>hm</think>", "hm", ""),
        ("<think>a<b </thin </think >c</think>yes", "a<b </thin </think >c", "yes"),
        ("<think>a<think>b</think>yes</think>", "a<think>b", "yes</think>"),
        # Cut while it thought.
        ("<think>hm", "hm", ""),
        ("<think>hm</thi", "hm</thi", ""),
        ("<think>", "", ""),
    ],
)
def test_what_stands_between_the_tags_is_reasoning(text: str, reasoning: str, said: str) -> None:
    assert split([text]) == (reasoning, said)
    assert split(text) == (reasoning, said)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "yes",
        " yes\n",
        "<",
        "<thin",
        "<thinking>hm</thinking>yes",
        "<Think>hm</think>",
        "a <think>hm</think>",
        # Its start was in the prompt, and what came before it has been shown.
        'hm\n</think>{"a":1}',
        " " * (MAX_BLANK + 1) + "<think>hm</think>",
        "\n" * 1000,
    ],
)
def test_a_text_that_does_not_start_with_the_tag_is_text(text: str) -> None:
    assert split([text]) == ("", text)
    assert split(text) == ("", text)


def test_only_what_may_be_a_tag_is_held_back() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("\n<thi") == ("", "")
    assert splitter.feed("nk>\na </") == ("a ", "")
    assert splitter.feed("b</think") == ("</b", "")
    assert splitter.feed(">\n") == ("", "")
    assert splitter.feed("\nyes") == ("", "yes")
    assert splitter.feed("<think>") == ("", "<think>")
    assert splitter.finish() == ("", "")


PARTS = st.sampled_from(["<think>", "</think>", "<", "</th", "ink>", " ", "\n", "\r", "a", "<thi", "\ud83d"])
TEXTS = st.lists(PARTS | st.text(max_size=3), max_size=12).map("".join)


@given(TEXTS, st.lists(st.integers(0, 40), max_size=8))
@example(" " * MAX_BLANK + "<think>a</think>b", [MAX_BLANK])
@example(" " * (MAX_BLANK + 1) + "<think>a</think>b", [MAX_BLANK])
def test_how_it_is_cut_changes_nothing(text: str, cuts: list[int]) -> None:
    places = sorted(min(cut, len(text)) for cut in cuts)
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    assert split(pieces) == split([text]) == split(text)


@given(TEXTS)
def test_nothing_is_lost_but_tags_and_the_white_space_around_them(text: str) -> None:
    reasoning, said = split([text])
    if text.lstrip().startswith("<think>"):
        assert said == "" or text.endswith(said)
        assert reasoning in text
        assert "</think>" not in reasoning
    else:
        assert (reasoning, said) == ("", text)
