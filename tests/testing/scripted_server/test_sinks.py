"""Where an answer goes: what arrives of it, and when."""

from __future__ import annotations

import pytest

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, TextDelta
from finalturn._testing.scripted_server.chat_wire import ChunkWriter
from finalturn._testing.scripted_server.items import HttpAnswer
from finalturn._testing.scripted_server.sinks import Sink, StreamSink, WholeSink, write_answer
from tests.testing._client import deltas, reasons, records
from tests.testing._peer import Peer

HEAD = {"id": "x", "created": 0, "model": "m"}
BUSY = ProviderError("busy", status=503, code="overloaded")


def stream(peer: Peer) -> StreamSink:
    return StreamSink(peer.connection, ChunkWriter(HEAD, with_usage=False))


def whole(peer: Peer) -> WholeSink:
    return WholeSink(peer.connection, HEAD)


class TestWholeResponses:
    def test_status_headers_and_body(self, peer: Peer) -> None:
        write_answer(peer.connection, HttpAnswer(429, {"a": 1}, {"Retry-After": "1"}))
        assert peer.rest() == (
            b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
            b'content-length: 7\r\n\r\n{"a":1}'
        )

    def test_a_status_without_a_name(self, peer: Peer) -> None:
        write_answer(peer.connection, HttpAnswer(599, "busy"))
        assert peer.rest().startswith(b"HTTP/1.1 599 \r\n")

    def test_headers_override_the_type_but_not_the_length(self, peer: Peer) -> None:
        write_answer(peer.connection, HttpAnswer(200, b"ab", {"Content-Type": "x/y", "Content-Length": "9"}))
        received = peer.response()
        assert (received.headers, received.body) == ({"content-type": "x/y", "content-length": "2"}, b"ab")


class TestStreams:
    def test_the_head_comes_with_the_first_event(self, peer: Peer) -> None:
        sink = stream(peer)
        assert not sink.begun
        peer.client.setblocking(False)
        with pytest.raises(BlockingIOError):
            peer.client.recv(1)
        sink.event(TextDelta("a"))
        assert sink.begun
        assert peer.client.recv(65536).startswith(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")

    def test_events_are_records_up_to_done(self, peer: Peer) -> None:
        sink = stream(peer)
        for event in (TextDelta("a"), TextDelta("b"), ModelEnd()):
            sink.event(event)
        sink.end(cut=False)
        received = peer.response()
        assert received.headers == {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
        assert deltas(received.body)[1:3] == [{"content": "a"}, {"content": "b"}]
        assert reasons(received.body) == ["stop"]
        assert records(received.body)[-1] == "[DONE]"
        assert peer.rest() == b""

    def test_a_cut_one_ends_in_good_order_without_done(self, peer: Peer) -> None:
        sink = stream(peer)
        sink.event(TextDelta("a"))
        sink.end(cut=True)
        body = peer.response().body
        assert (len(records(body)), b"[DONE]" in body) == (2, False)

    @pytest.mark.parametrize("cut", [True, False])
    def test_one_without_events_is_a_response_all_the_same(self, peer: Peer, cut: bool) -> None:
        stream(peer).end(cut=cut)
        assert records(peer.response().body) == ([] if cut else ["[DONE]"])

    def test_bytes_are_sent_as_they_are_and_none_are_no_end(self, peer: Peer) -> None:
        sink = stream(peer)
        pieces = [b": c\r\n", b"", b"\xff" * 20, b"0\r\n\r\n"]
        for piece in pieces:
            sink.raw(piece)
        sink.end(cut=True)
        assert peer.response().body == b"".join(pieces)

    def test_it_fails_by_status_before_it_has_begun(self, peer: Peer) -> None:
        stream(peer).fail(BUSY)
        received = peer.response()
        assert (received.status, records(b"data: " + received.body)[0]["error"]["code"]) == (
            503,
            "overloaded",
        )

    def test_and_by_a_record_afterwards(self, peer: Peer) -> None:
        sink = stream(peer)
        sink.event(TextDelta("a"))
        sink.fail(BUSY)
        received = peer.response()
        assert received.status == 200
        assert records(received.body)[-1]["error"]["message"] == "busy"


class TestWholeBodies:
    def test_nothing_is_sent_before_the_end(self, peer: Peer) -> None:
        sink = whole(peer)
        sink.event(TextDelta("a"))
        sink.raw(b"x")
        assert not sink.begun
        peer.client.setblocking(False)
        with pytest.raises(BlockingIOError):
            peer.client.recv(1)

    @pytest.mark.parametrize("cut", [True, False])
    def test_events_are_one_body(self, peer: Peer, cut: bool) -> None:
        sink = whole(peer)
        sink.event(TextDelta("a"))
        sink.event(TextDelta("b"))
        sink.end(cut=cut)
        received = peer.response()
        (record,) = records(received.body)
        assert received.headers["content-type"] == "application/json"
        assert record["choices"][0]["message"] == {"role": "assistant", "content": "ab"}

    def test_bytes_are_the_body(self, peer: Peer) -> None:
        sink = whole(peer)
        for data in (b'{"odd": ', b"\xff"):
            sink.raw(data)
        sink.event(ModelEnd())
        sink.end(cut=False)
        assert peer.response().body == b'{"odd": \xff'

    @pytest.mark.parametrize(("error", "status"), [(BUSY, 503), (ProviderError("gone"), 500)])
    def test_it_fails_by_status(self, peer: Peer, error: ProviderError, status: int) -> None:
        sink = whole(peer)
        sink.event(TextDelta("lost"))
        sink.fail(error)
        received = peer.response()
        assert (received.status, b"lost" in received.body) == (status, False)


@pytest.mark.parametrize("kind", [stream, whole])
@pytest.mark.parametrize("fails", [True, False])
def test_who_leaves_after_the_end_has_not_left_early(peer: Peer, kind: object, fails: bool) -> None:
    sink: Sink = stream(peer) if kind is stream else whole(peer)
    peer.connection.begin_answer()
    sink.event(TextDelta("a"))
    if fails:
        sink.fail(BUSY)
    else:
        sink.end(cut=False)
    peer.connection.lost()
    assert peer.state.disconnects == 0


def test_who_leaves_before_it_has(peer: Peer) -> None:
    peer.connection.begin_answer()
    stream(peer).event(TextDelta("a"))
    peer.connection.lost()
    assert peer.state.disconnects == 1
