"""The paths: they are what the demo promises to show."""

from __future__ import annotations

import pytest

from finalturn import Message, Role
from finalturn._cli.demo.desk import Ticket
from finalturn._cli.demo.paths import JSON, PATHS, TICKET, Path, needs_ticket
from finalturn.contract import CLAUSES


def test_every_path_of_the_contract_is_there() -> None:
    names = [path.name for path in PATHS]
    assert names == ["synthesis", "reuse and convert", "hold", "hold in a line", "single pass", "skip"]


def test_what_the_model_says_is_a_ticket() -> None:
    assert Ticket.model_validate_json(JSON) == TICKET


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_path_is_consistent(path: Path) -> None:
    assert path.config.final_turn_only
    assert len(path.schema_on) == len(path.says)
    assert bool(path.text) == ("text" in path.shows)
    assert path.clauses and set(path.clauses) <= set(CLAUSES)
    # The JSON may be seen on one path alone, where it is the point.
    assert (JSON in path.text) == ("event structured_reuse" in path.shows)


def test_only_a_turn_with_a_tool_needs_a_ticket() -> None:
    asked = Message.user("Thank you!")
    assert not needs_ticket([asked], "You are welcome.")
    assert needs_ticket([asked, Message(Role.TOOL, "on its way", tool_name="lookup_order")], "")
