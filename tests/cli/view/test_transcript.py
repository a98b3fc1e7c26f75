"""What is to be seen of a turn, for everything that a turn may do."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import ModelEnd, PartialObject, StopReason, StreamChunk, StreamEvent, StructuredOutputConfig
from finalturn._cli.view import Bubble, Card, Notice, Question, Thought, ToolUse, Transcript
from finalturn.providers import Scripted
from tests._notice import show_as_notice
from tests.cli._turns import FAIL, LOOKUP, OBJECT, items_of, nested_items, result_of, shown, transcripts

VALUE = {"topic": "kettle", "urgent": True}
START, REUSE = StreamEvent.STRUCTURED_SYNTHESIS_START, StreamEvent.STRUCTURED_REUSE
GROWING = StructuredOutputConfig(final_turn_only=True, partial_objects=True)
READY = Card("Ticket", state="ready", value=VALUE)


def kinds(transcript: Transcript) -> list[str]:
    return [type(block).__name__ for block in transcript.blocks]


def test_a_turn_begins_with_the_question_and_waits() -> None:
    begin = Transcript.of("Hi", answer="Ticket")
    assert begin.blocks == (Question("Hi"),)
    assert begin.waiting and not begin.ended


def test_text_grows_one_bubble_which_closes_with_what_follows() -> None:
    steps = transcripts(items_of(["Let me ", "look. ", LOOKUP], ["It is ", "on its way."], OBJECT))
    texts = [[block for block in one.blocks if isinstance(block, Bubble)] for one in steps]
    assert texts[1] == [Bubble("Let me ", 0)]
    assert texts[2] == [Bubble("Let me look. ", 0)]
    assert texts[3] == [Bubble("Let me look. ", 0, open=False)]
    assert texts[-1] == [
        Bubble("Let me look. ", 0, open=False),
        Bubble("It is on its way.", 1, open=False),
    ]


def test_it_waits_until_something_comes_and_after_the_tools() -> None:
    steps = transcripts(items_of(["Let me look. ", LOOKUP], "It is on its way.", OBJECT))
    assert [one.waiting for one in steps] == [True, False, False, True, False, False, False]
    assert [one.ended for one in steps] == [False] * 6 + [True]


def test_outcomes_come_to_the_calls_in_order() -> None:
    last = transcripts(items_of([LOOKUP, FAIL], "Done.", plain=True))[-1]
    uses = [block for block in last.blocks if isinstance(block, ToolUse)]
    assert [use.call.name for use in uses] == ["lookup", "fail"]
    assert [use.outcome and use.outcome.tool_result for use in uses] == ["A1 is on its way", None]


def test_a_synthesis_has_a_card_from_its_start() -> None:
    steps = transcripts(items_of("Done.", OBJECT))
    assert steps[-2].blocks[1:] == (
        Bubble("Done.", 0, open=False),
        Card("Ticket", START),
    )
    assert steps[-1].blocks[-1] == Card("Ticket", START, "ready", VALUE)


def test_a_card_fills_while_the_object_is_made() -> None:
    steps = transcripts(items_of("Done.", [OBJECT[:18], OBJECT[18:25], OBJECT[25:]], config=GROWING))
    assert [one.blocks[-1] for one in steps[2:]] == [
        Card("Ticket", START),
        Card("Ticket", START, value={"topic": "kettle"}),
        Card("Ticket", START, value=VALUE),
        Card("Ticket", START, "ready", VALUE),
    ]


def test_a_partial_object_without_a_card_changes_nothing() -> None:
    begun = Transcript.of("Hi")
    assert begun.after(StreamChunk(partial=PartialObject({"topic": "k"}))).blocks == begun.blocks


def test_a_failed_synthesis_has_a_card_that_says_why() -> None:
    items = items_of("Done.", "nonsense")
    reason = result_of(items).structured_error or ""
    card = transcripts(items)[-1].blocks[-1]
    assert card == Card("Ticket", START, "failed", reason=reason)
    assert reason


def test_reuse_turns_the_bubbles_of_its_call_into_a_card() -> None:
    steps = transcripts(items_of(["Let me look. ", LOOKUP], [OBJECT[:9], OBJECT[9:]]))
    assert steps[-3].blocks[-1] == Bubble(OBJECT, 1)
    assert steps[-2].blocks[-2:] == (Bubble("", 1, open=False), Card("Ticket", REUSE))
    assert steps[-1].blocks[-1] == Card("Ticket", REUSE, "ready", VALUE)
    assert Bubble("Let me look. ", 0, open=False) in steps[-1].blocks


def test_a_held_answer_is_a_card_without_an_event() -> None:
    hold = StructuredOutputConfig(final_turn_only=True, hold_json=True)
    last = transcripts(items_of(OBJECT, config=hold))[-1]
    assert last.blocks[1:] == (READY,)


def test_what_was_held_back_for_nothing_is_shown_at_the_end() -> None:
    skip = StructuredOutputConfig(
        final_turn_only=True, hold_json=True, should_finalize=lambda messages, text: False
    )
    attempt = '{"topic": 5}'
    last = transcripts(items_of(attempt, config=skip))[-1]
    assert last.blocks[1:] == (Bubble(attempt, 0, open=False),)


@pytest.mark.parametrize(
    ("stop", "bubbles"), [("refused", [Bubble("I may not.", 0, open=False)]), ("terminal_tool", [])]
)
def test_a_silent_turn_shows_a_refusal_but_no_tool_s_text_twice(
    stop: StopReason, bubbles: list[Bubble]
) -> None:
    result = replace(
        result_of(items_of("I may not.", plain=True)),
        text="",
        structured_status="not_attempted",
        answer_call=None,
        stop_reason=stop,
    )
    last = Transcript(answer="Ticket", silent=True).after(result)
    assert list(last.blocks) == bubbles


def test_a_skip_leaves_the_prose() -> None:
    skip = StructuredOutputConfig(final_turn_only=True, should_finalize=lambda messages, text: False)
    last = transcripts(items_of("Hello", config=skip))[-1]
    assert last.blocks[1:] == (Bubble("Hello", 0, open=False),)


def test_without_a_response_format_there_is_no_card() -> None:
    last = transcripts(items_of("Hello", plain=True))[-1]
    assert kinds(last) == ["Question", "Bubble"]


def test_default_mode_gets_its_card_with_the_result() -> None:
    last = transcripts(items_of(OBJECT, config=StructuredOutputConfig()))[-1]
    assert last.blocks[1:] == (Bubble(OBJECT, 0, open=False), READY)


def test_reasoning_stands_apart() -> None:
    thinks = [Scripted.reasoning("h"), Scripted.reasoning("m"), "Hello"]
    last = transcripts(items_of(thinks, plain=True))[-1]
    assert last.blocks[1:] == (Thought("hm", 0, open=False), Bubble("Hello", 0, open=False))


def test_a_cut_answer_is_closed() -> None:
    last = transcripts(items_of(["Hel", ModelEnd("length")], plain=True))[-1]
    assert last.blocks[1:] == (Bubble("Hel", 0, open=False),)


def test_a_turn_that_breaks_off_leaves_nothing_open() -> None:
    for one in transcripts(items_of(["Look. ", LOOKUP], "Done.", OBJECT))[:-1]:
        broken = one.broken_off("stopped")
        assert broken.ended and not broken.waiting
        assert not any(isinstance(block, Bubble) and block.open for block in broken.blocks)
        cards = [block for block in broken.blocks if isinstance(block, Card)]
        assert [(card.state, card.reason) for card in cards] == [("failed", "stopped")] * len(cards)


# One call thinks, speaks and calls tools in any order; the answer may be the object or prose.
WORDS = st.one_of(
    st.text("ab \n", min_size=1, max_size=4),
    st.sampled_from(["hm", "so"]).map(Scripted.reasoning),
)
LOOP_CALL = st.tuples(st.lists(WORDS, max_size=4), st.sampled_from([LOOKUP, FAIL])).map(
    lambda t: [*t[0], t[1]]
)
LAST_CALL = st.one_of(
    st.integers(1, 8).map(lambda size: Scripted.pieces(OBJECT, size)),
    st.lists(WORDS, min_size=1, max_size=4).map(lambda words: [*words, "."]),
)


@given(st.lists(LOOP_CALL, max_size=2), LAST_CALL)
def test_blocks_are_only_added_and_hold_all_that_was_shown(
    loop: list[list[object]], last: list[object]
) -> None:
    items = items_of(*loop, last, OBJECT) if "." in last else items_of(*loop, last)
    steps = transcripts(items)
    for before, after in pairwise(steps):
        assert kinds(after)[: len(before.blocks)] == kinds(before)
    events = [item.event for item in items if isinstance(item, StreamChunk) and item.event]
    bubbles = "".join(block.text for block in steps[-1].blocks if isinstance(block, Bubble))
    converted = OBJECT if REUSE in events else ""
    assert bubbles + converted == shown(items)
    assert steps[-1].blocks[-1] in (READY, *(Card("Ticket", origin, "ready", VALUE) for origin in events))


def test_a_notice_leaves_the_text_and_makes_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    event = show_as_notice(monkeypatch, "finalturn._cli.view.transcript")
    shown = Transcript().after(StreamChunk(content="Hello")).after(StreamChunk(event=event))
    assert shown.blocks == (Bubble("Hello", 0, open=False), Notice(event))
    assert not shown.waiting
    asked = Transcript(waiting=True).after(StreamChunk(event=event))
    assert asked.waiting


def test_what_an_agent_shows_that_runs_as_a_tool_stands_in_its_call() -> None:
    steps = transcripts(nested_items())
    uses = [block for block in steps[-1].blocks if isinstance(block, ToolUse)]
    assert [use.call.arguments["task"] for use in uses] == ["one", "two"]
    first = uses[0].inside
    assert [type(block).__name__ for block in first] == ["Thought", "Bubble", "ToolUse", "Bubble"]
    assert first[1] == Bubble("Let me look. ", 0, open=False)
    looked = first[2]
    assert isinstance(looked, ToolUse) and looked.outcome is not None
    assert uses[1].inside == () and uses[1].outcome is not None
    assert kinds(steps[-1]) == ["Question", "ToolUse", "ToolUse", "Bubble"]
    pending = [
        use.inside[-1] for step in steps for use in step.blocks if isinstance(use, ToolUse) and use.inside
    ]
    assert any(isinstance(block, Card) and block.state == "pending" for block in pending)
