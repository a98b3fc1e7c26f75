from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._providers.answers.sse import SSEReader
from finalturn._serve.formats.sse import HEARTBEAT, frame


@given(st.text(), st.integers(1, 10**9))
def test_a_frame_is_one_event_for_any_reader(text: str, number: int) -> None:
    written = frame({"type": "chunk", "content": text}, number)
    assert written.isascii()
    assert written.count(b"\n") == 3 and b"\r" not in written
    [(_, data)] = SSEReader(10**6).feed(HEARTBEAT + written)
    assert json.loads(data) == {"type": "chunk", "content": text}
    assert written.startswith(b"id: %d\n" % number)


def test_a_text_goes_as_it_is() -> None:
    assert frame("[DONE]", 7) == b"id: 7\ndata: [DONE]\n\n"


def test_what_is_no_json_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        frame({"x": float("nan")}, 1)
