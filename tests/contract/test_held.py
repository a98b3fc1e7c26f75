"""What is held or hidden: JSON that may be the answer, and the text of text-encoded tool calls."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from finalturn.contract import (
    HELD_JSON,
    TEXT_TOOL_CALLS_HIDDEN,
)
from finalturn.providers import Scripted
from tests.contract._play import Play
from tests.contract._proves import proves
from tests.contract._scenes import (
    ANSWER,
    HOLD,
    INVALID,
    LOOKUP,
    PROSE,
    SENTINEL,
    TEXT_TOOLS,
    Ticket,
    lookup,
    skipping,
)


@proves(HELD_JSON)
@pytest.mark.parametrize(
    "block", [ANSWER, INVALID, f"```json\n{ANSWER}\n```"], ids=["valid", "invalid", "fenced"]
)
def test_an_attempt_at_the_answer_is_never_shown(play: Play, block: str) -> None:
    text = f"Here it is.\n{block}\nAnything else?"
    observed = play(Scripted.pieces(text, 3), ANSWER, response_format=Ticket, config=HOLD)
    assert SENTINEL not in observed.content
    assert observed.content.startswith("Here it is.")
    assert observed.content.endswith("Anything else?")
    assert observed.result.structured_status == "ok"


@proves(HELD_JSON)
def test_another_block_is_released_whole_and_in_order(play: Play) -> None:
    text = 'Use this:\n```json\n{"port": 8080}\n```\n{name} is [a link](x).\n'
    observed = play(Scripted.pieces(text, 2), ANSWER, response_format=Ticket, config=HOLD)
    assert observed.content == text


@proves(HELD_JSON)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The ticket: ", ", that is it."),
        ("`", "` it is."),
        ("<out>\n", "\n</out> Bye."),
        ('{"x": ', " oops"),
        ('{"x: ', " y"),
    ],
    ids=["in a line", "in code", "in tags", "in broken JSON", "behind an open quote"],
)
def test_wherever_it_stands_it_is_hidden_and_the_rest_is_shown(play: Play, before: str, after: str) -> None:
    text = before + ANSWER + after
    observed = play(Scripted.pieces(text, 2), ANSWER, response_format=Ticket, config=HOLD)
    kept = "" if before[0] in "`<" else before.rstrip()
    assert observed.content == kept + after.lstrip("`").removeprefix("\n</out>")


class Noted(Ticket):
    """A ticket with a key that may be left out."""

    note: str = ""


@proves(HELD_JSON)
def test_a_block_with_none_of_the_required_keys_is_released(play: Play) -> None:
    text = 'Use this:\n{"note": "a key of the schema", "port": 8080}\n'
    observed = play(Scripted.pieces(text, 2), ANSWER, response_format=Noted, config=HOLD)
    assert observed.content == text
    assert observed.result.structured_status == "ok"


@proves(HELD_JSON)
def test_a_held_answer_is_hidden_before_a_tool_call_and_on_a_skip(play: Play) -> None:
    config = skipping(True, hold_json=True)
    observed = play(
        [f"Look:\n{ANSWER}\n", LOOKUP],
        f"Done.\n{INVALID}",
        response_format=Ticket,
        config=config,
        tools=[lookup],
    )
    assert SENTINEL not in observed.content
    assert observed.content.split() == ["Look:", "Done."]
    assert observed.result.structured_status == "skipped"
    assert INVALID in observed.result.content


@proves(TEXT_TOOL_CALLS_HIDDEN)
def test_the_text_of_a_call_is_not_content(play: Play) -> None:
    text = f'Let me see. <tool_call>{{"name": "lookup", "arguments": {{"order": "{SENTINEL}"}}}}</tool_call>'
    broken = f"And <tool_call>{SENTINEL}"
    observed = play(
        Scripted.pieces(text, 4), Scripted.pieces(broken, 4), PROSE, capabilities=TEXT_TOOLS, tools=[lookup]
    )
    assert SENTINEL not in observed.content
    assert "tool_call" not in observed.content
    assert observed.content.split() == ["Let", "me", "see.", "And", *"".join(PROSE).split()]
    assert [call.id for call in observed.result.tool_calls] == [None, None]


@proves(HELD_JSON)
def test_an_answer_whose_root_is_an_array_is_held(play: Play) -> None:
    observed = play(
        Scripted.pieces("Here:\n[1, 2]\n", 3), "[1, 2]", response_format=TypeAdapter(list[int]), config=HOLD
    )
    assert observed.content.strip() == "Here:"
    assert observed.result.parsed == [1, 2]


@proves(TEXT_TOOL_CALLS_HIDDEN)
def test_text_that_only_begins_like_a_call_is_content(play: Play) -> None:
    observed = play("Is 1 <tool", capabilities=TEXT_TOOLS, tools=[lookup])
    assert observed.content == "Is 1 <tool"
