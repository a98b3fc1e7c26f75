"""Event streams as servers, proxies and networks deliver them."""

from __future__ import annotations

import logging
import threading
from itertools import pairwise

import pytest

from finalturn import Agent, ProviderError
from finalturn.providers import OpenAIChat
from finalturn.sessions import InMemorySessions
from finalturn.testing import ScriptedServer
from tests.contract._observed import Observed
from tests.field._tools import recording
from tests.field._wire import DONE, DRIVERS, STOP, TOOLS, oa, play, prose, say, sse, tc

SECRET = "sk-zq7xsentinel"
LINE_ENDS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"

parametrize_driver = pytest.mark.parametrize("driver", DRIVERS)


def split(body: bytes, *at: int) -> list[bytes]:
    """A body in pieces."""
    cuts = [0, *at, len(body)]
    return [body[start:end] for start, end in pairwise(cuts)]


@pytest.mark.parametrize("char", LINE_ENDS)
def test_a_line_ends_in_nothing_that_only_looks_like_it(char: str) -> None:
    """79: as bytes, where a control character may stand unescaped only beyond ASCII."""
    raw = char.encode() if char > "\x7f" else f"\\u{ord(char):04x}".encode()
    body = b'data: {"choices":[{"index":0,"delta":{"content":"a' + raw + b'b"}}]}\n\n' + STOP
    assert play(body).result.content == f"a{char}b"


TORN = b'data: {"choices":[{"index":0,"delta":\r\ndata: {"content":"ok"}}]}\r\n\r\n' + STOP


class TestLineEnds:
    def test_a_crlf_that_is_torn_is_one_line_end(self) -> None:
        """81: one record of two data lines."""
        at = TORN.index(b"\r\n") + 1
        assert play(split(TORN, at)).result.content == "ok"

    @pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
    @pytest.mark.parametrize("space", [b"", b" "])
    def test_any_will_do_with_a_space_or_without(self, end: bytes, space: bytes) -> None:
        """82."""
        body = prose("ok").replace(b"data: ", b"data:" + space).replace(b"\n", end)
        assert play(body).result.content == "ok"
        pieces = split(body, *range(1, len(body), 7))
        assert play(pieces).result.content == "ok"


SMILE = 'data: {"choices":[{"index":0,"delta":{"content":"a😀é"}}]}\n\n'.encode()


@pytest.mark.parametrize("at", range(SMILE.index(b"a\xf0"), SMILE.index(b'"}}')))
def test_a_character_that_is_torn_is_one(at: int) -> None:
    """84."""
    assert play(split(SMILE + STOP, at)).result.content == "a😀é"


NOISE: dict[str, bytes] = {
    "a comment after an event": b"id: 1\ndata: {}\n\n: ping\n\n",  # 86
    "a bare colon": b":\n\n",  # 87
    "a comment of a gateway": b": OPENROUTER PROCESSING\n\n",  # 87
    "a comment within an event": b"",
    "an event without data": b"event: ping\n\n",  # 86
    "an id without data": b"id: 7\n\n",  # 86
    "empty data": b"data:\n\n",  # 86
    "blank data": b"data: \n\n",  # 86
    "a comment wrapped as data": b"data: : PROCESSING\n\n",  # 88
    "a word as data": b"data: ping\n\n",  # 88
    "an event of another type": b'event: ping\ndata: {"type":"ping"}\n\n',
    "retry and unknown fields": b"retry: 3000\nfoo: bar\nbaz\n\n",
    "blank lines": b"\n\n\n",
    "a byte order mark": b"",
}


@pytest.mark.parametrize("name", NOISE)
def test_what_says_nothing_changes_nothing(name: str) -> None:
    noise = NOISE[name]
    body = noise + say("o") + noise + say("k") + noise + oa({}, "stop") + noise + DONE + noise
    if name == "a comment within an event":
        body = body.replace(b"data:", b": ping\ndata:")
    if name == "a byte order mark":
        body = b"\xef\xbb\xbf" + body
    observed = play(body)
    assert (observed.pieces, observed.result.content) == (["o", "k"], "ok")


def broken(*calls: bytes, driver: str = "astream-asyncio") -> tuple[ProviderError, Observed]:
    """A turn that fails: its error, and what was shown before it. Nothing of it is saved."""
    ran, tools = recording("f")
    sessions = InMemorySessions()
    observed = play(*calls, tools=tools, sessions=sessions, session="s", driver=driver)
    assert isinstance(observed.error, ProviderError)
    assert observed.results == []
    assert sessions.load("s").messages == ()
    assert ran == []
    return observed.error, observed


ERRORS: dict[str, bytes] = {
    "an object": sse({"error": {"message": f"overloaded {SECRET}"}}),  # 90
    "with a code": sse({"error": {"message": f"overloaded {SECRET}", "code": 529, "type": "x"}}),  # 90
    "beside empty choices": sse({"choices": [], "error": {"message": SECRET}}),  # 90
    "a string": sse({"error": f"overloaded {SECRET}"}),  # 91
    "an event of that name": b'event: error\ndata: {"message":"' + SECRET.encode() + b'"}\n\n',  # 91
    "such an event with an error object": b'event: error\ndata: {"error":{"message":"x"}}\n\n',  # 90
    "such an event with a word": b"event: error\ndata: overloaded\n\n",  # 91
    "an object that says so": sse({"object": "error", "message": SECRET, "code": 400}),
    "a finish reason": oa({}, "error"),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("ending", [b"", STOP], ids=["end", "goes on"])
def test_an_error_within_a_stream_fails_the_turn(
    name: str, ending: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    error, observed = broken(say("par") + tc(0, "a", "f", "{}") + ERRORS[name] + ending)
    assert observed.shape == ["content@0"]
    # 99: what the vendor says is for a developer's eyes, in an attribute.
    for text in (str(error), repr(error), caplog.text):
        assert SECRET not in text and "overloaded" not in text and "par" not in text


@parametrize_driver
def test_it_fails_on_every_way_to_run(driver: str) -> None:
    _, observed = broken(say("par") + ERRORS["an object"], driver=driver)
    assert observed.pieces == ["par"]


@pytest.mark.parametrize(
    "body",
    [
        say("half"),
        say("half") + b"data: [DO",
        say("half") + oa({}, "stop")[:-20],
        tc(0, "a", "f", "{}"),
        tc(0, "a", "f", '{"x":1}') + b": ping\n\n",
        b"",
        b"\n\n",
    ],
)
def test_an_end_without_a_marker_is_a_failure_and_no_call_runs(body: bytes) -> None:
    """93."""
    error, observed = broken(body)
    assert error.retryable
    assert not any(chunk.tool_calls for chunk in observed.chunks)


def test_a_dropped_connection_is_too() -> None:
    ran, tools = recording("f")
    observed = play([say("half") + tc(0, "a", "f", "{}"), ScriptedServer.DROP], tools=tools)
    assert isinstance(observed.error, ProviderError) and observed.error.retryable
    assert (observed.content, ran) == ("half", [])


@pytest.mark.parametrize("marker", [oa({}, "stop"), DONE], ids=["reason", "done"])
def test_either_marker_ends_an_answer(marker: bytes) -> None:
    """94."""
    assert play(say("ok") + marker).result.content == "ok"
    ran, tools = recording("f")
    observed = play(tc(0, "a", "f", "{}") + marker, prose("Done."), tools=tools)
    assert (ran, observed.result.content) == ([("f", {})], "Done.")


def test_a_connection_that_stays_open_after_the_marker_is_not_waited_for() -> None:
    """95: the server says nothing more and does not hang up until the turn is over."""
    over = threading.Event()
    ran, tools = recording("f")
    with ScriptedServer(
        [tc(0, "a", "f", "{}") + TOOLS, lambda: over.wait()], [prose("ok"), lambda: over.wait()]
    ) as server:
        agent = Agent(OpenAIChat("x", base_url=server.url), tools=tools)
        assert agent.run("go").content == "ok"
        over.set()
    assert len(ran) == 1


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_an_error_status_tells_neither_key_nor_body(status: int, caplog: pytest.LogCaptureFixture) -> None:
    """99, the client's side."""
    caplog.set_level(logging.DEBUG)
    from finalturn.testing import HttpAnswer

    with ScriptedServer(HttpAnswer(status, {"error": {"message": f"no: {SECRET}", "code": "c"}})) as server:
        agent = Agent(OpenAIChat("x", base_url=server.url, api_key=SECRET, max_retries=0))
        with pytest.raises(ProviderError) as caught:
            agent.run("tell me a sentinel")
    error = caught.value
    assert error.status == status
    assert SECRET not in (error.detail or "")
    for text in (str(error), repr(error), caplog.text):
        assert SECRET not in text and "sentinel" not in text
