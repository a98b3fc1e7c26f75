"""The parts that cases are made of."""

from __future__ import annotations

import json
from typing import Any, cast

import jsonschema

from finalturn._testing.conformance.scene import (
    LOOKUP,
    TICKET,
    TICKET_JSON,
    TICKET_VALUE,
    Desk,
    arguments,
    plain,
    ticket,
)


def test_the_answer_is_one() -> None:
    assert json.loads(TICKET_JSON) == TICKET_VALUE
    jsonschema.validate(TICKET_VALUE, TICKET)


def test_the_arguments_are_those_of_the_tool() -> None:
    jsonschema.validate(json.loads(arguments("A-1")), dict(LOOKUP.parameters))


def test_what_a_provider_does_to_a_request_is_not_seen_by_the_next() -> None:
    cast("dict[str, Any]", plain(LOOKUP).tools[0].parameters)["strict"] = True
    cast("dict[str, Any]", ticket().schema)["strict"] = True
    assert "strict" not in plain(LOOKUP).tools[0].parameters
    assert "strict" not in ticket().schema


def test_a_desk_remembers_its_lookups() -> None:
    desk = Desk()
    (lookup,) = desk.tools()
    assert lookup.spec.name == LOOKUP.name
    assert lookup("A-1") == "A-1 has been sent"
    assert desk.looked_up == ["A-1"]
