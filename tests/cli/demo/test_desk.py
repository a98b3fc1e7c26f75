"""The support desk: its database, its tool, its ticket."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from finalturn import ModelSettings, StructuredOutputConfig
from finalturn._cli.demo.desk import Ticket, order_database, order_tool, support_desk
from finalturn.providers import Scripted

TICKET = Ticket(order="A-1002", topic="payment", urgent=True, summary="Has not been paid")


@pytest.mark.parametrize(
    ("order", "text"),
    [
        ("A-1001", "Your order A-1001, blue kettle, is shipped and arrives on Friday."),
        ("A-1002", "Your order A-1002, two lamps, is waiting for payment."),
        ("A-9", "There is no order A-9."),
        ("' OR 1=1 --", "There is no order ' OR 1=1 --."),
    ],
)
def test_the_tool_reads_the_database(order: str, text: str) -> None:
    with order_database() as path:
        assert order_tool(path)(order) == text


def test_the_database_is_gone_afterwards() -> None:
    with order_database() as path:
        assert path.is_file()
    assert not path.parent.exists()


@pytest.mark.parametrize("field", [{"order": "1001"}, {"topic": "weather"}, {"summary": "no"}])
def test_a_ticket_is_validated(field: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Ticket.model_validate({**TICKET.model_dump(), **field})


def test_a_turn_looks_an_order_up_and_leaves_a_ticket() -> None:
    script = Scripted(
        Scripted.call("lookup_order", {"order": "A-1002"}), "It waits for you.", TICKET.model_dump_json()
    )
    with order_database() as path:
        config = StructuredOutputConfig(final_turn_only=True)
        result = support_desk(script, path, config, ModelSettings(seed=1)).run("Where are my lamps?")
    assert result.unwrap() == TICKET
    assert result.text == "It waits for you."
    assert "two lamps" in (result.messages[2].tool_result or "")
    assert script.requests[0].settings.seed == 1
