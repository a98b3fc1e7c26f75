from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._serve.runs.log import FrameLog, FramesGoneError


def test_frames_are_numbered_from_one() -> None:
    log = FrameLog(100)
    assert (log.first, log.last, log.after(0)) == (1, 0, [])
    log.append(b"a")
    log.append(b"bc")
    assert (log.last, log.undelivered) == (2, 3)
    assert log.after(0) == [b"a", b"bc"]
    assert log.after(1) == [b"bc"]
    assert log.after(2) == []


def test_delivered_frames_go_when_there_are_too_many_bytes() -> None:
    log = FrameLog(3)
    for one in (b"aa", b"bb", b"cc"):
        log.append(one)
    log.deliver(2)
    assert (log.first, log.undelivered) == (2, 2)
    assert log.after(1) == [b"bb", b"cc"]
    with pytest.raises(FramesGoneError):
        log.after(0)


def test_the_newest_is_kept_however_large_it_is() -> None:
    log = FrameLog(3)
    log.append(b"a")
    log.append(b"larger")
    log.deliver(2)
    assert log.after(1) == [b"larger"]


def test_nothing_is_kept_where_nobody_comes_back() -> None:
    log = FrameLog(0)
    log.append(b"a")
    log.deliver(1)
    assert (log.first, log.last, log.after(1)) == (2, 1, [])


@given(
    st.integers(0, 20),
    st.lists(st.one_of(st.binary(min_size=1, max_size=8), st.integers(0, 30)), max_size=60),
)
def test_what_was_not_delivered_is_never_lost(keep: int, steps: list[bytes | int]) -> None:
    log, sent, delivered = FrameLog(keep), list[bytes](), 0
    for step in steps:
        if isinstance(step, bytes):
            log.append(step)
            sent.append(step)
        else:
            number = min(step, len(sent))
            log.deliver(number)
            delivered = max(delivered, number)
        assert log.last == len(sent)
        assert log.undelivered == sum(map(len, sent[delivered:]))
        assert log.after(delivered) == sent[delivered:]
        assert log.first <= delivered + 1
        kept = sent[log.first - 1 : delivered]
        assert sum(map(len, kept)) <= keep or (keep and len(kept) == 1)
