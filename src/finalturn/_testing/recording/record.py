"""Recording an agent's turns, as traces that the clauses of the contract can be checked on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from finalturn._agent import Agent
from finalturn._agent.agent import spec_of
from finalturn._agent.not_a_part import not_an_agent
from finalturn._contract.traces.file import TraceWriter
from finalturn._core.errors import ConfigurationError
from finalturn._core.observers import ObservedTurn
from finalturn._support.keywords import known_keywords
from finalturn._testing.recording.turn import TurnRecorder
from finalturn.contract import Record, Trace
from finalturn.stability import beta

__all__ = ["Recording", "record"]


@beta(since="0.1.0")
class Recording:
    """The turns of an agent that begin while it is recorded. `record` makes it; use it in a ``with`` block.

    A turn begins when its first item is asked for. Turns may run at the same time, in any thread, and one
    agent may be recorded by several at once. A turn that is still under way when the block ends is recorded
    as far as it had come.

    Args:
        agent: whose turns are recorded.
        path: the trace file that is written as they go on; ``None`` keeps them in memory only.

    Raises:
        ConfigurationError: the agent is none, or the path is empty.
    """

    def __init__(self, agent: Agent[Any, Any], path: str | os.PathLike[str] | None = None) -> None:
        if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(f"the turns of an Agent are recorded, not of {not_an_agent(agent)}")
        if path is not None and not os.fspath(path).strip():
            raise ConfigurationError("the path of a recording is empty; leave it out to keep it in memory")
        self._spec = spec_of(agent)
        self._path = None if path is None else Path(path)
        self._writer: TraceWriter | None = None
        self._turns: list[list[Record]] = []
        self._lock = Lock()
        self._observer = _RecordingObserver(self._begin_turn)
        self._begun = False
        self._open = False
        self._error: OSError | None = None

    @property
    def traces(self) -> list[Trace]:
        """One trace for each turn that has begun, in that order; readable at any time."""
        with self._lock:
            return [Trace(tuple(records)) for records in self._turns]

    def __enter__(self) -> Recording:
        """Begin.

        Raises:
            FileExistsError: the file is there already; nothing is added to it.
            OSError: it cannot be written.
            RuntimeError: this recording has been begun before.
        """
        if self._begun:
            raise RuntimeError("a recording is used once: call record() again")
        if self._path is not None:
            self._writer = TraceWriter(self._path)
        self._begun = self._open = True
        self._spec.recorders.append(self._observer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End.

        Raises:
            OSError: something could not be written. The turns themselves did not notice.
        """
        self._spec.recorders.remove(self._observer)
        with self._lock:
            self._open = False
            if self._writer is not None:
                self._writer.close()
        if self._error is not None and error is None:
            raise self._error

    def _begin_turn(self) -> TurnRecorder:
        with self._lock:
            turn = len(self._turns)
            self._turns.append([])
        return TurnRecorder(lambda record: self._note(turn, record))

    def _note(self, turn: int, record: Record) -> None:
        with self._lock:
            if not self._open:
                return
            self._turns[turn].append(record)
            if self._writer is not None and self._error is None:
                try:
                    self._writer.write(turn, record)
                except OSError as error:
                    self._error = error


class _RecordingObserver:
    """Has each turn recorded that begins."""

    def __init__(self, begin: Callable[[], TurnRecorder]) -> None:
        self._begin = begin

    def observe(self, turn: ObservedTurn, /) -> TurnRecorder:
        return self._begin()


@beta(since="0.1.0")
@known_keywords("record")
def record(agent: Agent[Any, Any], path: str | os.PathLike[str] | None = None) -> Recording:
    """Record the turns of an agent, whatever way they are run.

    The file holds what models, tools and people wrote. It is created so that only its owner can read it.

    Args:
        agent: the agent.
        path: where to write the traces as they come to be, one record a line (JSON Lines); each line is
            written before the turn goes on. By default they are kept in memory only.

    Raises:
        ConfigurationError: the agent is none, or the path is empty.

    Example:
        with record(agent, "trace.jsonl") as recording:
            agent.run("Where is my order?")
        assert len(recording.traces) == 1
    """
    return Recording(agent, path)
