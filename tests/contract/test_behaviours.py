"""The leak matrix: behaviours of a model, on every surface."""

from __future__ import annotations

import pytest

from finalturn.contract import (
    DEFAULT_MODE_STREAMS,
    EXPLICIT_OUTCOME,
    HELD_JSON,
    REUSE_SIGNALLED,
    SINGLE_PASS_SUPPRESSES_CONTENT,
    SYNTHESIS_NEVER_STREAMS,
)
from finalturn.providers import Scripted
from tests.contract._behaviours import BEHAVIOURS, MODES
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._proves import STREAMING, proves
from tests.contract._scenes import SENTINEL, Ticket, lookup


def play_behaviour(play: Play, name: str, mode: str) -> Observed:
    """Play a behaviour in a mode; text comes in small pieces."""
    behaviour = BEHAVIOURS[name]
    calls = [Scripted.pieces(call, 7) if isinstance(call, str) else call for call in behaviour.calls]
    return play(*calls, response_format=Ticket, tools=[lookup], settings=behaviour.settings, **MODES[mode])


@proves(HELD_JSON, SYNTHESIS_NEVER_STREAMS, EXPLICIT_OUTCOME)
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_with_hold_json_nothing_leaks_and_all_prose_is_shown(play: Play, name: str) -> None:
    observed = play_behaviour(play, name, "final_turn_only, hold_json")
    assert SENTINEL not in observed.content
    assert "topic" not in observed.content
    rest = observed.content
    for part in BEHAVIOURS[name].prose:
        assert part in rest
        rest = rest.replace(part, "", 1)
    assert rest.strip() == ""
    assert observed.result.structured_status == "ok"
    assert observed.result.unwrap() == Ticket(topic=SENTINEL, urgent=True)


@proves(REUSE_SIGNALLED, SYNTHESIS_NEVER_STREAMS, drivers=STREAMING)
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_without_hold_json_what_was_shown_is_signalled(play: Play, name: str) -> None:
    observed = play_behaviour(play, name, "final_turn_only")
    reused = len(observed.requests) == 1 + ("tool call" in name) and SENTINEL in observed.content
    assert observed.events == (["structured_reuse"] if reused else ["structured_synthesis_start"])
    assert observed.result.structured_status == "ok"


@proves(SINGLE_PASS_SUPPRESSES_CONTENT)
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_single_pass_shows_nothing_at_all(play: Play, name: str) -> None:
    observed = play_behaviour(play, name, "final_turn_only, single_pass")
    assert observed.content == ""
    assert observed.result.structured_status == "ok"


@proves(DEFAULT_MODE_STREAMS)
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_default_mode_shows_everything(play: Play, name: str) -> None:
    observed = play_behaviour(play, name, "default")
    made = [call for call in BEHAVIOURS[name].calls if isinstance(call, str)]
    assert "".join(made).startswith(observed.content)
    assert SENTINEL in observed.content
    assert observed.result.structured_status == "ok"
