"""What a run reaches."""

from __future__ import annotations

from tests.mutants._sample import Counter, sizes
from tools.mutants._code import units
from tools.mutants._record import Recorder


def test_statements_that_run_are_noted() -> None:
    recorder = Recorder(units("tests.mutants._sample"))
    with recorder.installed():
        assert sizes([]) == []
        assert Counter.of(1).double == 2
    reached = {name.removeprefix("tests/mutants/_sample.py ") for name in recorder.reached}
    assert reached == {
        "sizes 0",
        "sizes 1",
        "sizes 4",
        "Counter.__init__ 0",
        "Counter.add 0",
        "Counter.double 0",
        "Counter.of 0",
        "Counter.of 1",
        "Counter.of 2",
    }


def test_nothing_is_noted_once_it_is_taken_out() -> None:
    recorder = Recorder(units("tests.mutants._sample"))
    with recorder.installed():
        pass
    sizes(["a"])
    assert recorder.reached == set()


def test_rules_that_match_are_noted() -> None:
    from tests.contract._play import Play

    recorder = Recorder(())
    with recorder.installed():
        Play("astream-asyncio", "streaming")("Hello")
    assert {"rule start", "rule loop-text", "rule plain-answer", "rule saved"} == recorder.reached
