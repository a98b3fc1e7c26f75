"""The background event loop of synchronous callers."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from finalturn import ConfigurationError
from finalturn._agent import portal as _portal
from finalturn._agent.portal import Portal, PortalClosed, callers_context, portal

user: ContextVar[str] = ContextVar("user", default="nobody")


@pytest.fixture
def backend() -> Iterator[Portal]:
    one = Portal()
    yield one
    one.stop()


async def give(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


async def fail(error: BaseException) -> None:
    await asyncio.sleep(0)
    raise error


def ignore(*given: object) -> None:
    """Do nothing."""


class Interrupting(Future[Any]):
    """A future whose waiter is interrupted, as by a signal, once it waits."""

    before: Callable[[], object] = staticmethod(lambda: None)

    interrupted = False

    def exception(self, timeout: float | None = None) -> Any:
        if self.interrupted:
            return super().exception(timeout)
        self.interrupted = True
        self.before()
        raise KeyboardInterrupt


class TestCalls:
    def test_give_what_the_work_gives(self, backend: Portal) -> None:
        assert backend.call(give("a"), callers_context()) == "a"

    def test_run_in_one_loop_of_a_thread_that_keeps_nobody_waiting(self, backend: Portal) -> None:
        async def where() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
            return asyncio.get_running_loop(), threading.current_thread()

        loop, thread = backend.call(where(), callers_context())
        assert backend.call(where(), callers_context()) == (loop, thread)
        assert thread is not threading.current_thread()
        assert thread.daemon

    def test_have_the_context_they_are_given(self, backend: Portal) -> None:
        async def read_and_write() -> str:
            found = user.get()
            user.set("u2")
            return found

        context = callers_context()
        context.run(user.set, "u1")
        assert backend.call(read_and_write(), context) == "u1"
        assert backend.call(read_and_write(), context) == "u2"
        assert user.get() == "nobody"

    def test_may_take_long(self, backend: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
        """The caller wakes up from time to time, and waits on; an error of that kind is the work's own."""
        monkeypatch.setattr(_portal, "TICK", 0.0)

        async def wait() -> None:
            for _ in range(100):
                await asyncio.sleep(0)
            raise TimeoutError("mine")

        with pytest.raises(TimeoutError, match="mine"):
            backend.call(wait(), callers_context())

    def test_from_many_threads_at_once(self, backend: Portal) -> None:
        async def meet() -> str:
            await barrier.wait()
            return user.get()

        async def make() -> asyncio.Barrier:
            return asyncio.Barrier(8)

        barrier = backend.call(make(), callers_context())

        def call(name: str) -> str:
            user.set(name)
            found: str = backend.call(meet(), callers_context())
            return found

        names = [f"u{index}" for index in range(8)]
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(call, names)) == names

    @pytest.mark.parametrize(
        "error", [LookupError("mine"), KeyboardInterrupt(), SystemExit(3), asyncio.CancelledError()], ids=repr
    )
    def test_raise_what_the_work_raises_and_the_loop_lives_on(
        self, backend: Portal, error: BaseException
    ) -> None:
        with pytest.raises(type(error)) as caught:
            backend.call(fail(error), callers_context())
        assert caught.value is error
        assert backend.call(give("a"), callers_context()) == "a"

    def test_run_on_asyncio_whatever_the_caller_runs_on(self, backend: Portal) -> None:
        async def inside() -> str:
            await anyio.lowlevel.checkpoint()
            return anyio.get_cancelled_exc_class().__module__

        async def main() -> str:
            return backend.call(inside(), callers_context())

        for loop in ("asyncio", "trio"):
            assert anyio.run(main, backend=loop) == "asyncio.exceptions"

    def test_need_no_sniffio_for_that(self, backend: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(sys.modules, "sniffio")
        user.set("u1")
        assert callers_context()[user] == "u1"
        assert backend.call(give("a"), callers_context()) == "a"

    def test_leave_nothing_for_the_garbage_collector(self, backend: Portal) -> None:
        class Mine(Exception):
            pass

        async def work() -> None:
            raise Mine

        gc.collect()
        gc.disable()
        try:
            with pytest.raises(Mine) as caught:
                backend.call(work(), callers_context())
            gone = weakref.ref(caught.value)
            del caught
            # The loop lets go of its task a moment later.
            backend.call(give("a"), callers_context())
            assert gone() is None
        finally:
            gc.enable()


class TestItsOwnThread:
    def test_is_refused_with_what_to_use_instead(self, backend: Portal) -> None:
        async def inside() -> None:
            backend.check("arun()")

        with pytest.raises(ConfigurationError, match=r"would wait for itself; use arun\(\)"):
            backend.call(inside(), callers_context())

    def test_is_told_from_others(self, backend: Portal) -> None:
        backend.check("arun()")


class TestInterrupts:
    def test_stop_the_work_and_wait_for_its_end(
        self, backend: Portal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, ended = threading.Event(), list[str]()

        async def work() -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("ended")

        monkeypatch.setattr(Interrupting, "before", staticmethod(lambda: begun.wait(30)))
        monkeypatch.setattr(_portal, "Future", Interrupting)
        with pytest.raises(KeyboardInterrupt):
            backend.call(work(), callers_context())
        assert ended == ["ended"]

    def test_before_the_work_began_too(self, backend: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is left waiting, and nothing warns that the work was never awaited."""
        go_on = threading.Event()
        loops: list[asyncio.AbstractEventLoop] = []

        async def find() -> None:
            loops.append(asyncio.get_running_loop())

        backend.call(find(), callers_context())
        loops[0].call_soon_threadsafe(go_on.wait, 30)

        class Held(Interrupting):
            def exception(self, timeout: float | None = None) -> Any:
                if self.interrupted:
                    # Only now can the loop go on: the work and its cancellation are both waiting there.
                    go_on.set()
                return super().exception(timeout)

        monkeypatch.setattr(_portal, "Future", Held)
        with pytest.raises(KeyboardInterrupt):
            backend.call(give("never"), callers_context())

    def test_after_its_end_change_nothing(self, backend: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
        class Done(Future[Any]):
            def exception(self, timeout: float | None = None) -> Any:
                super().exception(30)
                raise KeyboardInterrupt

        monkeypatch.setattr(_portal, "Future", Done)
        with pytest.raises(KeyboardInterrupt):
            backend.call(give("a"), callers_context())


class TestTheEnd:
    def test_takes_no_more_calls(self) -> None:
        one = Portal()
        one.stop()
        assert one.ended
        with pytest.raises(PortalClosed, match="has ended"):
            one.call(give("a"), callers_context())
        one.stop()

    def test_of_the_loop_alone_takes_no_more_calls_either(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A moment in which the loop is closed and nobody has said so yet."""
        one = Portal()
        one.stop()
        monkeypatch.setattr(one, "_ended", "")
        with pytest.raises(PortalClosed, match="has ended"):
            one.call(give("a"), callers_context())

    def test_cancels_what_is_left_and_closes_generators(self) -> None:
        one, closed = Portal(), list[str]()

        async def generate() -> AsyncIterator[int]:
            try:
                yield 1
            finally:
                await asyncio.sleep(0)
                closed.append("closed")

        generator = generate()

        async def first() -> int:
            return await anext(generator)

        assert one.call(first(), callers_context()) == 1
        begun = threading.Event()

        async def work() -> None:
            begun.set()
            await asyncio.Event().wait()

        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(one.call, work(), callers_context())
            assert begun.wait(30)
            one.stop()
            with pytest.raises(asyncio.CancelledError):
                waiting.result(30)
        assert closed == ["closed"]

    def test_closes_the_streams_that_are_left(self) -> None:
        one, closed = Portal(), list[str]()

        class Stream:
            async def aclose(self) -> None:
                await asyncio.sleep(0)
                closed.append("closed")

        left, dropped = Stream(), Stream()
        one.adopt(left)
        one.adopt(dropped)
        del dropped
        gc.collect()
        one.stop()
        assert closed == ["closed"]

    def test_of_a_loop_that_the_users_code_stopped(self) -> None:
        one = Portal()

        async def stop() -> None:
            asyncio.get_running_loop().stop()
            await asyncio.Event().wait()

        # asyncio says of it, in the thread's own way, that the loop was stopped.
        hook, threading.excepthook = threading.excepthook, ignore
        try:
            with pytest.raises(asyncio.CancelledError):
                one.call(stop(), callers_context())
            one.stop()
        finally:
            threading.excepthook = hook
        assert one.ended
        with pytest.raises(PortalClosed):
            one.call(give("a"), callers_context())

    def test_reaches_calls_that_had_not_begun(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one, dropped = Portal(), threading.Event()

        def drop(*given: object) -> None:
            dropped.set()

        monkeypatch.setattr(one, "_begin", drop)
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(one.call, give("never"), callers_context())
            assert dropped.wait(30)
            one.stop()
            with pytest.raises(PortalClosed, match="has ended"):
                waiting.result(30)

    def test_leaves_an_interrupt_nothing_to_wait_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one = Portal()
        monkeypatch.setattr(one, "_begin", ignore)
        monkeypatch.setattr(
            Interrupting, "before", staticmethod(lambda: setattr(one, "_ended", "it has ended"))
        )
        monkeypatch.setattr(_portal, "Future", Interrupting)
        with pytest.raises(KeyboardInterrupt):
            one.call(give("never"), callers_context())
        setattr(one, "_ended", "")  # noqa: B010
        one.stop()


def test_where_no_loop_can_be_made_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(main: Any) -> None:
        main.close()
        raise OSError("too many open files")

    monkeypatch.setattr(asyncio, "run", refuse)
    with pytest.raises(OSError, match="too many open files"):
        Portal()


class TestOfTheProcess:
    def test_all_threads_share_one_portal(self) -> None:
        with ThreadPoolExecutor(8) as threads:
            found = [threads.submit(portal) for _ in range(16)]
        assert {one.result() for one in found} == {portal()}

    def test_a_portal_that_has_ended_is_replaced(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ended = Portal()
        ended.stop()
        monkeypatch.setattr(_portal, "_portal", ended)
        fresh = portal()
        assert fresh is not ended
        assert fresh.call(give("a"), callers_context()) == "a"
        fresh.stop()

    def test_a_forked_child_has_another(self, monkeypatch: pytest.MonkeyPatch) -> None:
        parents = portal()
        monkeypatch.setattr(parents, "_ended", "")
        monkeypatch.setattr(_portal, "_left_behind", list[Portal]())
        monkeypatch.setattr(_portal, "_portal", parents)
        monkeypatch.setattr(_portal, "_lock", threading.Lock())
        _portal._after_fork()  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(PortalClosed, match="forked from"):
            parents.call(give("a"), callers_context())
        assert vars(_portal)["_portal"] is None
        _portal._after_fork()  # pyright: ignore[reportPrivateUsage]
