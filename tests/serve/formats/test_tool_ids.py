"""Ids of tool calls for front ends."""

from __future__ import annotations

import pytest

from finalturn._serve.formats.tool_ids import ToolIds
from tests.serve._front_end_items import called, done


def test_each_call_has_its_own_id_whatever_the_provider_says() -> None:
    ids = ToolIds("r")
    calls = [called(own_id=own_id, call=call) for call in (0, 1) for own_id in (None, "call_0")]
    given = [ids.of_call(one.tool_call, one.call) for one in calls]
    assert given == ["r-0-tool-1", "r-0-tool-2", "r-1-tool-3", "r-1-tool-4"]


def test_a_call_that_was_announced_is_found_by_its_place() -> None:
    ids = ToolIds("r")
    given = [ids.of_call(called(own_id=None, call=call).tool_call, call) for call in (0, 0, 1)]
    assert [ids.of_place(0, 0), ids.of_place(0, 1), ids.of_place(1, 0)] == given


def test_a_result_has_the_id_of_its_call() -> None:
    ids = ToolIds("r")
    calls = [
        called("a", own_id=None),
        called("b", own_id=None),
        called("a", own_id=None),
        called("a", own_id="x"),
    ]
    given = [ids.of_call(one.tool_call, one.call) for one in calls]
    assert [ids.of_result(done(calls[place]).message) for place in (3, 1, 0, 2)] == [
        given[place] for place in (3, 1, 0, 2)
    ]


def test_a_result_without_a_call_is_a_mistake() -> None:
    ids = ToolIds("r")
    ids.of_call(called("a").tool_call, 0)
    with pytest.raises(LookupError, match="without its call"):
        ids.of_result(done(called("b")).message)
