"""Real clients show every path of a turn as it should be seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.frontends._clients import Clients, Kind
from tests.frontends._scenes import FAILED, SCENES, TICKET
from tests.frontends._server import Gate, serving

pytestmark = pytest.mark.frontends

KINDS: list[Kind] = ["ag-ui", "ai-sdk", "native"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_person_sees_the_turn(clients: Clients, kind: Kind, scene: str) -> None:
    given = SCENES[scene]
    gate = Gate()
    steps: list[dict[str, Any]] = [{"say": "Where is A-17?"}]
    for text in given.before:
        steps += [{"until": text}, {"release": True}]
    with serving(given.agent(gate), gate=gate) as url:
        seen = clients.drive(kind, url, *steps, chat="" if kind == "native" else "chat-1")
    last = [(kind, text.strip()) for kind, text in seen.last]
    failed = "Error: " if kind == "ag-ui" else ""
    after = [(kind_of_line, text.strip().replace(FAILED, failed)) for kind_of_line, text in given.after]
    assert last == [("user", "Where is A-17?"), *after]
    for kind_of_line, text in given.meanwhile:
        assert seen.ever(kind_of_line, text)
    assert given.never not in str(seen.views)
    assert seen.statuses == [200]


@pytest.mark.parametrize("scene", SCENES)
def test_a_page_that_draws_no_activities_is_never_left_with_nothing(clients: Clients, scene: str) -> None:
    given = SCENES[scene]
    gate = Gate()
    steps: list[dict[str, Any]] = [{"say": "Where is A-17?"}, *[{"release": True} for _ in given.before]]
    with serving(given.agent(gate), gate=gate) as url:
        seen = clients.drive("ag-ui-plain", url, *steps, may_complain=True)
    drawn = [line for line in seen.last if line[0] != "user"]
    assert drawn
    has_object = any(kind == "card" for kind, _ in given.after)
    value = json.dumps(json.loads(TICKET), separators=(",", ":"))
    assert (("data", f"structured {value}") in drawn) == has_object
    failed = [text for kind, text in given.after if kind == "tool" and FAILED in text]
    assert [text.startswith("Error: ") for kind, text in drawn if kind == "tool"].count(True) == len(failed)
    # What was taken for the object stays: nobody else may show it.
    assert (("assistant", TICKET) in drawn) == (scene == "reuse")
