"""Recording an agent: which turns, from where, into what."""

from __future__ import annotations

import stat
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from finalturn import Agent, ModelRequest, StreamClosedError
from finalturn._contract.traces.file import TraceWriter
from finalturn.contract import (
    ModelText,
    Shown,
    Trace,
    TurnCancelled,
    TurnFailed,
    TurnResult,
    TurnSaved,
    TurnStarted,
    read_traces,
)
from finalturn.providers import Scripted
from finalturn.testing import record


def echo(request: ModelRequest) -> list[str]:
    return ["You said ", request.messages[-1].content]


def agent() -> Agent[None]:
    return Agent(Scripted(then=echo))


def said(trace: Trace) -> str:
    return "".join(one.chunk.content for one in trace.records if isinstance(one, Shown))


def mine(text: str) -> None:
    raise RuntimeError("mine")


async def by_astream(one: Agent[Any], given: str) -> None:
    async with one.astream(given) as stream:
        async for _ in stream:
            pass


def test_every_way_to_run_a_turn_is_recorded_the_same() -> None:
    one = agent()
    with record(one) as recording:
        one.run("a")
        one.run("a", stream_handler=len)
        list(one.stream("a"))
        for backend in ("asyncio", "trio"):
            anyio.run(one.arun, "a", backend=backend)
            anyio.run(by_astream, one, "a", backend=backend)
    first, *others = recording.traces
    assert len(others) == 6
    assert all(trace == first for trace in others)
    assert [type(one) for one in first.records[-2:]] == [TurnSaved, TurnResult]


def test_only_turns_that_begin_in_the_block_are_recorded() -> None:
    one = agent()
    early = one.stream("early")
    next(early)
    unread = one.stream("unread")
    with record(one) as recording:
        assert recording.traces == []
        one.run("in")
        one.stream("never read").close()
        list(early)
        begun = one.stream("begun")
        next(begun)
    list(begun)
    list(unread)
    one.run("late")
    inside, cut = recording.traces
    assert said(inside) == "You said in"
    assert said(cut) == "You said "
    assert not isinstance(cut.records[-1], TurnResult)


def test_the_agents_of_others_are_not_recorded() -> None:
    one, other = agent(), agent()
    with record(one) as recording, record(other) as of_other:
        one.run("one")
        other.run("other")
    assert [said(trace) for trace in recording.traces] == ["You said one"]
    assert [said(trace) for trace in of_other.traces] == ["You said other"]


def test_an_agent_may_be_recorded_twice() -> None:
    one = agent()
    with record(one) as outer:
        one.run("a")
        with record(one) as inner:
            one.run("b")
        one.run("c")
    assert [said(trace) for trace in outer.traces] == ["You said a", "You said b", "You said c"]
    assert inner.traces == outer.traces[1:2]


def test_a_recording_is_used_once() -> None:
    recording = record(agent())
    with recording:
        pass
    with pytest.raises(RuntimeError, match=r"call record\(\) again"), recording:
        pass


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_turns_at_the_same_time_are_kept_apart(backend: str, tmp_path: Path) -> None:
    one = agent()
    words = [f"word{number}" for number in range(5)]

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for word in words:
                group.start_soon(by_astream, one, word)

    with record(one, tmp_path / "trace.jsonl") as recording:
        anyio.run(main, backend=backend)
    assert sorted(said(trace) for trace in recording.traces) == [f"You said {word}" for word in words]
    assert read_traces(tmp_path / "trace.jsonl") == recording.traces


def test_turns_in_several_threads_are_kept_apart(tmp_path: Path) -> None:
    one = agent()
    words = [f"word{number}" for number in range(5)]
    threads = [threading.Thread(target=one.run, args=(word,)) for word in words]
    with record(one, tmp_path / "trace.jsonl") as recording:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(said(trace) for trace in recording.traces) == [f"You said {word}" for word in words]
    assert read_traces(tmp_path / "trace.jsonl") == recording.traces


class TestEnds:
    def test_what_was_ready_but_not_delivered_is_not_shown(self) -> None:
        one = Agent(Scripted([Scripted.call("a"), Scripted.call("b")]))
        with record(one) as recording, one.stream("hi") as stream:
            next(stream)
        (trace,) = recording.traces
        assert sum(isinstance(record, Shown) for record in trace.records) == 1
        assert trace.records[-1] == TurnCancelled()

    @pytest.mark.parametrize("backend", ["asyncio", "trio"])
    def test_a_turn_that_is_cancelled_while_it_waits(self, backend: str) -> None:
        async def main() -> None:
            started, never = anyio.Event(), anyio.Event()
            one = Agent(Scripted(["a", started.set, never.wait]))
            with record(one) as recording:
                async with anyio.create_task_group() as group:
                    group.start_soon(one.arun, "hi")
                    await started.wait()
                    group.cancel_scope.cancel()
            (trace,) = recording.traces
            assert trace.records[-1] == TurnCancelled()
            assert said(trace) == "a"

        anyio.run(main, backend=backend)

    @pytest.mark.parametrize("backend", ["asyncio", "trio"])
    def test_a_stream_that_another_task_closes(self, backend: str) -> None:
        async def main() -> None:
            started, never = anyio.Event(), anyio.Event()
            one = Agent(Scripted(["a", started.set, never.wait]))
            with record(one) as recording:
                stream = one.astream("hi")

                async def close() -> None:
                    await started.wait()
                    await stream.aclose()

                async with anyio.create_task_group() as group:
                    group.start_soon(close)
                    await anext(stream)
                    with pytest.raises(StreamClosedError):
                        await anext(stream)
            (trace,) = recording.traces
            assert [type(one) for one in trace.records[-2:]] == [Shown, TurnCancelled]

        anyio.run(main, backend=backend)

    def test_a_turn_whose_handler_raises_is_left(self) -> None:
        one = agent()
        with record(one) as recording, pytest.raises(RuntimeError, match="mine"):
            one.run("hi", stream_handler=mine)
        (trace,) = recording.traces
        assert trace.records[-1] == TurnCancelled()

    def test_a_turn_that_cannot_be_prepared(self) -> None:
        prompt: Any = lambda: None  # noqa: E731
        one = Agent(Scripted("Hi."), system_prompt=prompt)
        with record(one) as recording, pytest.raises(Exception, match="system_prompt"):
            one.run("hi")
        assert recording.traces == [Trace((TurnFailed("ConfigurationError"),))]


class TestFile:
    def test_it_is_written_as_the_turn_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "trace.jsonl"
        one = agent()
        with record(one, path) as recording:
            assert read_traces(path) == []
            with one.stream("hi") as stream:
                next(stream)
                assert read_traces(path) == recording.traces
                assert [type(record) for record in recording.traces[0].records[-2:]] == [ModelText, Shown]
        assert read_traces(path) == recording.traces

    def test_only_its_owner_can_read_it(self, tmp_path: Path) -> None:
        with record(agent(), tmp_path / "trace.jsonl"):
            pass
        assert stat.S_IMODE((tmp_path / "trace.jsonl").stat().st_mode) == 0o600

    def test_a_file_that_is_there_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "trace.jsonl"
        path.write_text("mine")
        one = agent()
        with pytest.raises(FileExistsError, match="never added to one; name another"), record(one, path):
            pass
        assert path.read_text() == "mine"
        with record(one) as recording:
            one.run("hi")
        assert len(recording.traces) == 1

    def test_a_link_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "trace.jsonl").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(FileExistsError), record(agent(), str(tmp_path / "trace.jsonl")):
            pass
        assert not (tmp_path / "elsewhere").exists()

    def test_a_turn_does_not_notice_that_it_cannot_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(self: TraceWriter, turn: int, one: object) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(TraceWriter, "write", full)
        one = agent()
        recording = record(one, tmp_path / "t.jsonl")
        with pytest.raises(OSError, match="no space left"), recording:
            assert one.run("hi").text == "You said hi"
        assert isinstance(recording.traces[0].records[0], TurnStarted)

    def test_an_error_in_the_block_is_not_hidden_by_that(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(self: TraceWriter, turn: int, one: object) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(TraceWriter, "write", full)
        one = agent()
        with pytest.raises(RuntimeError, match="mine"), record(one, tmp_path / "t.jsonl"):
            one.run("hi", stream_handler=mine)
