"""The script: who takes which answer, and what is counted."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from finalturn._core.errors import FinalturnError
from finalturn._providers.scripted.script import Script, ScriptError


def script_of(*answers: str, then: str | None = None) -> Script[object, str]:
    return Script(answers, then)


def counters(script: Script[object, str]) -> tuple[int, int]:
    return script.open, script.abandoned


class TestTaking:
    def test_answers_go_in_order_and_requests_are_kept(self) -> None:
        script = script_of("one", "two")
        assert script.requests == []
        assert [script.take("a"), script.take("b")] == [(0, "one"), (1, "two")]
        assert script.requests == ["a", "b"]

    def test_running_out_says_how_many_there_were(self) -> None:
        script = script_of("one")
        script.take("a")
        for n in (2, 3):
            with pytest.raises(
                ScriptError, match=rf"holds 1 model call\(s\), and call {n} was made"
            ) as caught:
                script.take("late")
            assert isinstance(caught.value, FinalturnError)
            assert isinstance(caught.value, AssertionError)
        assert script.requests == ["a", "late", "late"]

    @pytest.mark.parametrize("then", ["more", ""])
    def test_then_is_every_later_answer(self, then: str) -> None:
        script = script_of("one", then=then)
        assert [script.take("a") for _ in range(3)] == [(0, "one"), (1, then), (2, then)]

    def test_any_number_of_threads_take_each_answer_once(self) -> None:
        script = script_of(*map(str, range(400)))
        ready = threading.Barrier(8)

        def take(thread: int) -> list[tuple[int, str]]:
            ready.wait(10)
            return [script.take((thread, n)) for n in range(50)]

        with ThreadPoolExecutor(8) as threads:
            taken = [pair for found in threads.map(take, range(8)) for pair in found]
        assert sorted(taken) == [(n, str(n)) for n in range(400)]
        assert set(script.requests) == {(thread, n) for thread in range(8) for n in range(50)}


class TestCounting:
    def test_an_answer_is_open_while_it_is_given(self) -> None:
        script = script_of()
        with script.answering() as first:
            assert not first.ended
            with script.answering():
                assert counters(script) == (2, 0)
            assert counters(script) == (1, 0)
        assert first.ended
        assert counters(script) == (0, 0)

    def test_one_that_fails_has_ended(self) -> None:
        script = script_of()
        with pytest.raises(ValueError, match="x"), script.answering() as progress:
            raise ValueError("x")
        assert progress.ended
        assert counters(script) == (0, 0)

    @pytest.mark.parametrize("leaving", [GeneratorExit, KeyboardInterrupt])
    @pytest.mark.parametrize("ended", [False, True])
    def test_a_reader_that_leaves_before_the_end_has_abandoned_it(
        self, leaving: type[BaseException], ended: bool
    ) -> None:
        script = script_of()
        with pytest.raises(leaving), script.answering() as progress:  # noqa: PT012
            progress.ended = ended
            raise leaving
        assert counters(script) == (0, int(not ended))

    def test_threads_count_together(self) -> None:
        script = script_of()
        met = threading.Barrier(9)

        def answer(n: int) -> None:
            with pytest.raises(GeneratorExit), script.answering():  # noqa: PT012
                met.wait(10)
                met.wait(10)
                raise GeneratorExit

        with ThreadPoolExecutor(8) as threads:
            done = threads.map(answer, range(8))
            met.wait(10)
            assert counters(script) == (8, 0)
            met.wait(10)
            list(done)
        assert counters(script) == (0, 8)
