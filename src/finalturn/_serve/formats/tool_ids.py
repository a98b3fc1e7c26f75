"""Makes ids of tool calls for front ends, which need each to be unique in a conversation.

A provider's own ids are not enough: a call that was written as text has none, and many providers count from
zero in every response.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ToolIds"]


class ToolIds:
    """Gives each tool call of one run its id, and each result the id of its call.

    Args:
        run_id: what the ids start with.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._count = 0
        self._of_calls: dict[int, list[str]] = {}
        self._waiting: list[tuple[str, object, str]] = []

    def of_call(self, tool_call: Mapping[str, Any], call: int) -> str:
        """The id of a call.

        Args:
            tool_call: see `public_call`.
            call: the index of its model call.
        """
        self._count += 1
        tool_id = f"{self._run_id}-{call}-tool-{self._count}"
        self._waiting.append((tool_call["name"], tool_call["id"], tool_id))
        self._of_calls.setdefault(call, []).append(tool_id)
        return tool_id

    def of_place(self, call: int, index: int) -> str:
        """The id of a call that was announced.

        Args:
            call: the index of its model call.
            index: its place among the calls of that.
        """
        return self._of_calls[call][index]

    def of_result(self, message: Mapping[str, Any]) -> str:
        """The id of the call that a result belongs to: the first without a result, of the same name and id.

        Args:
            message: see `public_tool_message`.

        Raises:
            LookupError: no such call was announced; a turn announces each before it runs.
        """
        wanted = (message["tool_name"], message["tool_call_id"])
        for place, (name, own_id, tool_id) in enumerate(self._waiting):
            if (name, own_id) == wanted:
                del self._waiting[place]
                return tool_id
        raise LookupError("a tool result without its call")
