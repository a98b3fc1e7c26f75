"""The check: each thing that may be wrong is found, and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from finalturn import AgentResult, StreamChunk
from finalturn._cli.demo.check import problems
from finalturn._cli.demo.contract import record
from finalturn._cli.demo.desk import order_database
from finalturn._cli.demo.paths import PATHS, TICKET, Path
from finalturn._cli.view import Item, PlainStage
from finalturn.testing import ReceivedRequest
from tests.cli._turns import Pipe

SYNTHESIS = PATHS[0]
Played = tuple[list[Item], list[ReceivedRequest]]


@pytest.fixture(scope="module")
def played() -> Played:
    with order_database() as database:
        return record(PlainStage(Pipe()), SYNTHESIS, database)


def wrong(
    played: Played, items: Sequence[Item] | None = None, path: Path = SYNTHESIS, **result: Any
) -> list[str]:
    """The names of what is wrong, when this is what came."""
    found = list(played[0] if items is None else items)
    if result and isinstance(found[-1], AgentResult):
        found[-1] = replace(found[-1], **result)
    return [text.partition(":")[0] for text in problems(path, found, played[1])]


def test_all_is_well(played: Played) -> None:
    assert wrong(played) == []


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"text": "other"}, "the result's text"),
        ({"model_calls": 4}, "the result's model_calls"),
        ({"structured_status": "validation_failed"}, "the status"),
        ({"parsed": TICKET.model_copy(update={"urgent": True})}, "the object"),
        ({"parsed": None}, "the object"),
    ],
)
def test_a_wrong_result_is_named(played: Played, changes: dict[str, Any], what: str) -> None:
    assert wrong(played, **changes) == [what]


def test_a_stream_ends_with_one_result(played: Played) -> None:
    items = played[0]
    for stream in ([], items[:-1], [*items, items[-1]], [items[-1], *items[:-1]]):
        assert wrong(played, stream) == ["the stream must end with its one result"]


def test_what_is_shown_is_checked_piece_by_piece(played: Played) -> None:
    items = played[0]
    event = next(item for item in items if isinstance(item, StreamChunk) and item.event)
    assert wrong(played, [item for item in items if item is not event]) == ["what is shown"]
    assert wrong(played, [event, *items]) == ["what is shown"]
    assert wrong(played, [*items[:-1], StreamChunk("{"), items[-1]]) == ["what is shown", "the text"]
    assert wrong(played, [StreamChunk(reasoning="hm"), *items]) == ["what is shown"]
    assert wrong(played, [*items[1:]]) == ["what is shown"]


def test_what_was_sent_is_checked(played: Played) -> None:
    items, requests = played
    assert wrong((items, [*requests, requests[0]])) == ["the model calls", "the schema on the requests"]
    assert wrong(played, path=replace(SYNTHESIS, schema_on=(True, True, True))) == [
        "the schema on the requests"
    ]
