"""Plays one answer of a script to one HTTP client."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.messages import ToolCall
from finalturn._core.model import ModelEnd, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.scripted.items import Cut, Hook, Pause, RawCall, items_of, refuse_awaitable, steps
from finalturn._testing.scripted_server.chat_wire import ChunkWriter
from finalturn._testing.scripted_server.items import Drop, HttpAnswer
from finalturn._testing.scripted_server.sinks import Sink, StreamSink, WholeSink, write_answer
from finalturn._testing.scripted_server.state import ClientConnection, ServerState

__all__ = ["Player"]

_SPOKEN = (str, TextDelta, ReasoningDelta, ToolCallDelta, ModelEnd, ToolCall, RawCall)


class Player:
    """One answer under way.

    Args:
        connection: where it goes.
        state: where a script's own mistakes are kept.
        asked: the request's JSON object: whether it wants a stream, and usage in it.
        number: the request's, from 0.
    """

    def __init__(
        self, connection: ClientConnection, state: ServerState, request_object: Mapping[str, Any], number: int
    ) -> None:
        self._connection = connection
        self._state = state
        self._number = number
        head = {"id": f"chatcmpl-{number}", "created": 0, "model": request_object.get("model") or "scripted"}
        options: Mapping[str, Any] = request_object.get("stream_options") or {}
        self._sink: Sink = (
            StreamSink(connection, ChunkWriter(head, with_usage=bool(options.get("include_usage"))))
            if request_object.get("stream")
            else WholeSink(connection, head)
        )

    def play(self, answer: object, usage: Usage | None) -> bool:
        """Play it. Whether the connection lives on.

        Raises:
            ClientGone: the client left.
            ConfigurationError: the script is wrong.
        """
        items = items_of(answer, self._number, (bytes, HttpAnswer, Drop))
        if any(isinstance(item, bytes) for item in items):
            # Bytes alone are the whole answer: nothing is added to them.
            items += [] if any(isinstance(item, _SPOKEN) for item in items) else [Cut()]
        playing = steps(items, self._number, native_tools=True, usage=usage)
        while True:
            try:
                step = next(playing, None)
            except ProviderError as error:
                self._sink.fail(error)
                return True
            except BaseException:
                return False
            if step is None:
                self._sink.end(cut=any(isinstance(item, Cut) for item in items))
                return True
            if isinstance(step, Drop):
                return False
            if isinstance(step, HttpAnswer):
                return self._answer(step)
            self._do(step)

    def _do(self, step: Any) -> None:
        if isinstance(step, Pause):
            self._connection.wait(lambda: False, step.seconds)
        elif isinstance(step, bytes):
            self._sink.raw(step)
        elif callable(step):
            self._call(step)
        else:
            self._sink.event(step)

    def _answer(self, answer: HttpAnswer) -> bool:
        if self._sink.begun:
            raise ConfigurationError(
                f"the HttpAnswer of scripted model call {self._number} comes after the response has begun:"
                " it must be the first thing that is sent"
            )
        write_answer(self._connection, answer)
        return True

    def _call(self, hook: Hook) -> None:
        """Call the function in a thread of its own, so that a client that leaves is noticed meanwhile."""
        outcome: list[BaseException | None] = []

        def run() -> None:
            error: BaseException | None = None
            try:
                refuse_awaitable(hook())
            except BaseException as caught:
                error = caught
            with self._state.changed:
                outcome.append(error)
                self._state.changed.notify_all()

        threading.Thread(target=run, daemon=True).start()
        self._connection.wait(lambda: bool(outcome))
        if outcome[0] is not None:
            raise outcome[0]
