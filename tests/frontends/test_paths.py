"""Real clients show every path of a turn as it should be seen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frontends._clients import Clients, Kind
from tests.frontends._scenes import SCENES
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
    assert last == [("user", "Where is A-17?"), *((kind, text.strip()) for kind, text in given.after)]
    for kind_of_line, text in given.meanwhile:
        assert seen.ever(kind_of_line, text)
    assert given.never not in str(seen.views)
    assert seen.statuses == [200]
