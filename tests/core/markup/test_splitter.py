"""Reasoning and calls, taken out of a text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finalturn._core.markup import EVERY_TAG, MAX_BLANK, THINK, MarkupSplitter
from finalturn._core.model import ReasoningDelta, TextDelta
from tests.core._markup import ANY, TAUGHT, THOUGHTS, pieces_of, split, split_everywhere

CALL = '<tool_call>{"name": "f", "arguments": {"q": "x"}}</tool_call>'


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
        # Wherever it stands, and as often as it does.
        ("Well. <think>hm</think> Yes.", "hm", "Well. Yes."),
        ("Well.\n\n<think>hm</think>\n\nYes.", "hm", "Well.\n\nYes."),
        ("Well.<think>hm</think>\nYes.", "hm", "Well.\nYes."),
        ("<think>a</think>\n<think>b</think>\nYes.<think>c</think>", "abc", "Yes."),
        ("\n<think>a</think>Yes.<think>b</think> \n", "ab", "Yes."),
        # An opening token in reasoning is part of it, and a closing one that is left over is left out.
        ("<think>a<think>b</think>yes</think>", "a<think>b", "yes"),
        ("<think>a</think>yes</think> sir", "a", "yes sir"),
        # Code is not looked for in reasoning.
        ("<think>`a</think>`b", "`a", "`b"),
        ("<think>\n```\na</think>b", "```\na", "b"),
        # Cut while it thought.
        ("<think>hm", "hm", ""),
        ("yes<think>hm</thi", "hm</thi", "yes"),
        ("<think>", "", ""),
        ("<think>\n", "", ""),
    ],
)
def test_what_stands_between_the_tags_is_reasoning(text: str, reasoning: str, said: str) -> None:
    for markup in (ANY, TAUGHT, THOUGHTS):
        assert split_everywhere(text, markup)[:3] == (said, reasoning, ())


@pytest.mark.parametrize("tag", EVERY_TAG, ids=[tag.open for tag in EVERY_TAG])
def test_every_tag_hides_reasoning_and_no_other_tag_ends_it(tag: object) -> None:
    assert tag in EVERY_TAG
    for one in EVERY_TAG:
        if one is tag:
            text = f"a {one.open}\nhm{one.closes[0]} b {one.open}so"
            assert split_everywhere(text)[:3] == ("a b ", "hmso", ())


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "yes", " yes\n", "<", "<thin", "[", "◁think", "<thinK>hm</thinK>", "< think>hm</ think>"),
        "a < b, a[0], [1](2), x <- y, <b>bold</b>, <thinker>",
        # Its start was in the prompt, and what came before it has been shown.
        'hm\n</think>{"a":1}',
        "use <|end|> or [/THINK]",
        "\n" * 1000,
        "it`s, 5` and ``",
        "~ ~~ ~~~~ wow~~~ ~",
        "the [TOOL_CALLS] token",
        "<tool_call> is a tag, and <tool_call> is one",
    ],
)
def test_a_text_without_markup_comes_out_as_it_went_in(text: str) -> None:
    assert split_everywhere(text)[:3] == (text, "", ())


class TestQuotedCode:
    @pytest.mark.parametrize(
        "code",
        [
            "`<think>hm</think>`",
            f"`{CALL}`",
            f"``a ` {CALL}``",
            f"x ``` {CALL} ``` y",
            f"```\n{CALL}\n```\n",
            f"```xml\n{CALL}\n<think>hm</think>\n``` not yet\n  ````  \n",
            f"````\n```\n{CALL}\n```\n<think>\n````\n",
            f"  ```\n{CALL}\n  ```\r\n",
            f"~~~\n```\n{CALL}\n~~~\n",
            f"a:\n\n ~~~~ ` x\n{CALL}\n~~~\n<think>\n~~~~~\n",
            f"Here: ```json\n{CALL}\n```\n",
            f"> ```\n> {CALL}\n> ```\n",
        ],
    )
    def test_nothing_counts_in_it_and_everything_behind_it(self, code: str) -> None:
        assert split_everywhere(code)[:3] == (code, "", ())
        text, reasoning, calls, _ = split_everywhere(f"{code}.<think>hm</think>{CALL}")
        assert (text, reasoning) == (f"{code}.", "hm")
        assert [call.name for call in calls] == ["f"]

    @pytest.mark.parametrize("fence", ["```\n<think>", f"```py\n{CALL}", f"~~~\n{CALL}\n~~", f"`{CALL}"])
    def test_one_that_is_left_open_goes_to_its_end(self, fence: str) -> None:
        assert split_everywhere(fence)[:3] == (fence, "", ())

    def test_a_single_backtick_hides_no_more_than_its_line(self) -> None:
        assert split_everywhere("it`s <think>\n<think>hm</think>so")[:2] == ("it`s <think>\nso", "hm")

    @pytest.mark.parametrize("text", ["wow~~~", "a ~~~", "~~ ", "x\n a~~~", "~a~~~"])
    def test_tildes_are_a_fence_at_the_start_of_a_line_only(self, text: str) -> None:
        assert split_everywhere(f"{text}\n<think>hm</think>")[:2] == (f"{text}\n", "hm")

    def test_a_call_in_the_middle_of_a_tool_s_argument_stays_there(self) -> None:
        text = (
            '<tool_call>{"name": "f", "arguments": {"q": "<think>a</think> `"}}</tool_call><think>b</think>'
        )
        _, reasoning, (call,), _ = split_everywhere(text)
        assert (call.arguments, reasoning) == ({"q": "<think>a</think> `"}, "b")
        assert split_everywhere(text, TAUGHT)[:2] == (text.removesuffix("<think>b</think>"), "b")


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        '<tool_call>{"x": "</tool_call> a <think>',
        '<tool_call>{"x": "</tool_call> a\n b',
        "<tool_call>x</tool_call> a <tool_call>",
        '<tool_call>{"x": "<think>',
    ],
)
def test_a_block_that_was_taught_is_passed_on_as_it_is(text: str) -> None:
    assert split_everywhere(f"a {text}", TAUGHT)[0].startswith(f"a {text.partition('<think>')[0]}")
    assert split_everywhere(f"a {text}", TAUGHT)[2] == ()


class TestInside:
    @pytest.mark.parametrize(
        ("text", "reasoning", "said"),
        [
            ("hm</think>yes", "hm", "yes"),
            ("hm\n</think>\n\nyes <think>b</think>", "hm\nb", "yes "),
            ("hm[/THINK]yes", "hm", "yes"),
            ("hm", "hm", ""),
            ("", "", ""),
            (" \n", " \n", ""),
            ("<th", "<th", ""),
            # A model may open the tag once more.
            ("<think>\nhm</think>yes", "hm", "yes"),
            ("\n <think>hm", "hm", ""),
            ("<tool_call>hm</think>yes", "<tool_call>hm", "yes"),
            (" " * MAX_BLANK + "<think>hm</think>yes", "hm", "yes"),
            (" " * (MAX_BLANK + 1) + "<think>hm</think>yes", " " * (MAX_BLANK + 1) + "<think>hm", "yes"),
        ],
    )
    def test_the_text_begins_in_reasoning(self, text: str, reasoning: str, said: str) -> None:
        assert split_everywhere(text, inside=True)[:3] == (said, reasoning, ())

    def test_it_turns_out_not_to(self) -> None:
        splitter = MarkupSplitter(ANY, inside=True)
        splitter.outside()
        assert splitter.feed("yes") == [TextDelta("yes")]
        splitter = MarkupSplitter(ANY, inside=True)
        assert splitter.feed("hm") == [ReasoningDelta("hm")]
        splitter.outside()
        assert splitter.feed("hm") == [ReasoningDelta("hm")]


class TestPieces:
    def test_only_what_may_be_a_token_is_held_back(self) -> None:
        splitter = MarkupSplitter(ANY)
        assert splitter.feed("\n<thi") == []
        assert splitter.feed("nk>\na </") == [ReasoningDelta("a ")]
        assert splitter.feed("b</think") == [ReasoningDelta("</b")]
        assert splitter.feed(">\n") == []
        assert splitter.feed("\nyes [") == [TextDelta("yes ")]
        assert splitter.feed("1] <") == [TextDelta("[1] ")]
        assert splitter.finish() == [TextDelta("<")]

    def test_prose_is_plain_once_it_has_begun(self) -> None:
        splitter = MarkupSplitter(ANY)
        assert not splitter.plain("Hi")
        assert splitter.feed("Hi") == [TextDelta("Hi")]
        assert splitter.plain(" there, it's (5 > 4) {x}")
        for piece in ("a <b", "`", "[", " ", "", "~", "◁"):
            assert not splitter.plain(piece)

    def test_it_is_not_while_anything_is_open(self) -> None:
        for text in ("a <", "a `b", "a <think>", "a <tool_call>", "a <think>b</think>"):
            splitter = MarkupSplitter(ANY)
            splitter.feed(text)
            assert not splitter.plain("Hi"), text

    def test_order_is_kept(self) -> None:
        order = split_everywhere(f"a <think>b</think>c {CALL}d<think>e</think>{CALL}")[3]
        assert order == (
            *("TextDelta: a ", "ReasoningDelta: b", "TextDelta: c ", "ToolCall: f"),
            *("TextDelta: d", "ReasoningDelta: e", "ToolCall: f"),
        )

    def test_no_more_than_so_much_blank_text_is_held_back(self) -> None:
        splitter = MarkupSplitter(ANY)
        assert splitter.feed(" " * MAX_BLANK) == []
        assert splitter.feed(" ") == [TextDelta(" " * (MAX_BLANK + 1))]
        assert splitter.feed(" ") == [TextDelta(" ")]


class TestFrames:
    def test_what_stands_around_text_is_left_out(self) -> None:
        text = "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>"
        assert split_everywhere(text)[:3] == ("Yes.", "hm", ())
        assert split_everywhere(text, THOUGHTS)[:3] == ("Yes.", "hm", ())

    def test_with_one_tag_there_are_none(self) -> None:
        from finalturn._core.textcalls import markup_of

        text = "<|START_RESPONSE|><think>hm</think>[THINK]<|end|>"
        assert split_everywhere(text, markup_of((THINK,), "none"))[:2] == (
            "<|START_RESPONSE|>[THINK]<|end|>", "hm",
        )  # fmt: skip


TOKENS = [
    *(tag.open for tag in EVERY_TAG),
    *(close for tag in EVERY_TAG for close in tag.closes),
    *ANY.blocks,
    *sorted(ANY.strays),
    *sorted(ANY.frames),
    *("`", "``", "```", "````", "~~~", "\n", " ", "a", "<", "[", ">", "\r", "|", "\ud83d", "<|message|>"),
    *('{"name": "f", "arguments": {"q": "', '"}}', '{"q": "', '"}', "f", "to=functions.f", "analysis", ";"),
    *("[ARGS]", "<parameter=q>", "</parameter>", "</function>", "f>", "call:f{q:", "}", "[{", "}]", CALL),
]
PARTS = st.sampled_from(TOKENS) | st.sampled_from([token[:5] for token in TOKENS]) | st.text(max_size=3)
TEXTS = st.lists(PARTS, max_size=14).map("".join)
CUTS = st.lists(st.integers(0, 120), max_size=8)


@given(TEXTS, CUTS, st.booleans())
@example(" " * MAX_BLANK + "<think>a</think>b", [MAX_BLANK], False)
@example(" " * (MAX_BLANK + 1) + "<think>a</think>b", [MAX_BLANK], False)
@example(f"a{CALL}" + " " * (MAX_BLANK + 1) + CALL + "b", [80], False)
@example("\n<think>a</think>b<think>c</think> d", [1], False)
def test_how_it_is_cut_changes_nothing(text: str, cuts: list[int], inside: bool) -> None:
    for markup in (ANY, TAUGHT, THOUGHTS):
        whole = split([text], markup, inside=inside)
        assert split(pieces_of(text, cuts), markup, inside=inside) == whole
        assert split(text, markup, inside=inside) == whole
        # Calls compare without the text that the model wrote.
        texts = [call.arguments_json() for call in split(text, markup, inside=inside).calls]
        assert texts == [call.arguments_json() for call in whole.calls]


@given(TEXTS, st.integers(0, 120))
def test_what_is_shown_by_now_depends_on_the_text_by_now(text: str, place: int) -> None:
    one, many = MarkupSplitter(ANY), MarkupSplitter(ANY)
    prefix = text[:place]
    shown = "".join(part.text for part in one.feed(prefix) if isinstance(part, TextDelta))
    pieces = [part for character in prefix for part in many.feed(character)]
    assert shown == "".join(part.text for part in pieces if isinstance(part, TextDelta))


@pytest.mark.parametrize("close", sorted(THOUGHTS.closes))
@pytest.mark.parametrize("blank", ["", "\n\n", " "])
def test_a_thought_that_the_prompt_began_and_nobody_had_leaves_nothing(close: str, blank: str) -> None:
    assert split_everywhere(f"{blank}{close}\n\nyes", THOUGHTS)[:2] == ("yes", "")
    assert split_everywhere(f"{blank}{close}", THOUGHTS)[:2] == ("", "")
    # Behind the first word it is the end of something.
    assert split_everywhere(f"hm{blank}{close}yes", THOUGHTS)[:2] == (f"hm{blank}{close}yes", "")
    assert split_everywhere(f"`{close}` yes", THOUGHTS)[:2] == (f"`{close}` yes", "")


@given(TEXTS)
def test_no_text_is_lost_and_none_is_made(text: str) -> None:
    said, reasoning, _, _ = split([text], THOUGHTS)
    left = iter(text)
    # Both are what remains when something is left out, in order.
    assert all(character in left for character in said)
    left = iter(text)
    assert all(character in left for character in reasoning)
    if not any(token in text for token in (*THOUGHTS.tags, *THOUGHTS.blocks, *THOUGHTS.frames)) and (
        not text.lstrip().startswith(tuple(THOUGHTS.closes))
    ):
        assert (said, reasoning) == (text, "")


@pytest.mark.parametrize(
    "text",
    [
        *("<" * 2_000, " " * 2_000, "`" * 2_000, "` " * 1_000, "~a" * 1_000, " ~" * 1_000),
        *("```\n" * 500, "`a`b\n" * 400, "<think>a</think>" * 125, "<think>" * 250),
        *("[TOOL_CALLS]" * 125, "<|channel|>" * 125, "<tool_call>" * 125, "<function=" * 125),
        *("<tool_call>{" * 125, "<tool_call></tool_call>" * 75, "<|python_tag|>{};" * 75),
        *("[TOOL_CALLS]f[ARGS]{}" * 75, "<|tool_call|>[" * 125, "<|tool_call_begin|>" * 75),
        *("<tool_call><function=f>" + "<parameter=q>" * 125, "<tool_call>f<arg_key>" * 75),
    ],
)
def test_every_kind_of_long_text_is_read_in_pieces_and_whole(text: str) -> None:
    for markup in (ANY, TAUGHT):
        assert split(text, markup) == split([text], markup)
