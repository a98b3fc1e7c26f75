"""How one answer is played to one client."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.json_text import decode
from finalturn._core.messages import ToolCall
from finalturn._core.model import ModelEnd, TextDelta
from finalturn._core.result import Usage
from finalturn._providers.scripted.items import Cut, Pause, RawCall
from finalturn._testing.scripted_server.items import Drop, HttpAnswer
from finalturn._testing.scripted_server.player import Player
from finalturn._testing.scripted_server.state import ClientGone
from tests.testing._client import deltas, reasons, records
from tests.testing._peer import Peer

USAGE = Usage(input_tokens=3, output_tokens=2, total_tokens=5)


def player(peer: Peer, number: int = 0, *, stream: bool = True, **asked: Any) -> Player:
    return Player(peer.connection, peer.state, {"stream": stream, **asked}, number)


def body(peer: Peer, answer: object, usage: Usage | None = None, **asked: Any) -> bytes:
    """What an answer is on the wire, which leaves the connection alive."""
    assert player(peer, **asked).play(answer, usage) is True
    return peer.response().body


class TestWhatIsAsked:
    @pytest.mark.parametrize("stream", [True, False, None])
    def test_a_stream_or_one_body(self, peer: Peer, stream: Any) -> None:
        found = records(body(peer, "Hi", stream=stream))
        assert found[-1] == "[DONE]" if stream else found[0]["choices"][0]["message"]["content"] == "Hi"

    @pytest.mark.parametrize("stream", [True, False])
    @pytest.mark.parametrize(("asked", "model"), [({"model": "m"}, "m"), ({}, "scripted")])
    def test_the_model_and_a_number_of_its_own(
        self, peer: Peer, stream: bool, asked: dict[str, Any], model: str
    ) -> None:
        player(peer, 7, stream=stream, **asked).play("Hi", None)
        first = records(peer.response().body)[0]
        assert (first["id"], first["created"], first["model"]) == ("chatcmpl-7", 0, model)

    @pytest.mark.parametrize(
        ("options", "there"),
        [({"include_usage": True}, True), ({"include_usage": False}, False), (None, False)],
    )
    def test_usage_in_a_stream(self, peer: Peer, options: object, there: bool) -> None:
        assert (b'"total_tokens":5' in body(peer, "a", USAGE, stream_options=options)) is there

    def test_usage_is_always_in_a_whole_body_when_it_is_known(self, peer: Peer) -> None:
        assert b'"total_tokens":5' in body(peer, "a", USAGE, stream=False)
        assert b"usage" not in body(peer, "a", stream=False)


class TestAnswers:
    def test_calls_are_native(self, peer: Peer) -> None:
        found = body(peer, [RawCall("f", "{", None), ToolCall("g", id="x")], number=2)
        calls = [delta["tool_calls"][0] for delta in deltas(found) if "tool_calls" in delta]
        assert [call["id"] for call in calls if "id" in call] == ["call_2_0", "x"]
        assert reasons(found) == ["tool_calls"]

    def test_a_cut_has_no_marker(self, peer: Peer) -> None:
        nothing = body(peer, ["a", Cut()])
        reason = body(peer, ["a", ModelEnd(), Cut()])
        assert (reasons(nothing), reasons(reason)) == ([], ["stop"])
        assert b"[DONE]" not in nothing + reason

    def test_bytes_alone_are_all_there_is(self, peer: Peer) -> None:
        raw = b": comment\r\n\r\ndata: {\xff\r\n\r\n"
        for answer in (raw, [raw[:5], b"", raw[5:]], [raw, Pause(0), list]):
            assert body(peer, answer) == raw
            assert body(peer, answer, stream=False) == raw

    @pytest.mark.parametrize("spoken", ["a", TextDelta("a"), ModelEnd(), ToolCall("f")])
    def test_beside_something_said_they_are_one_item(self, peer: Peer, spoken: object) -> None:
        found = body(peer, [spoken, b": raw\n\n"])
        assert b": raw\n\n" in found
        assert found.endswith(b"data: [DONE]\n\n")

    @pytest.mark.parametrize("stream", [True, False])
    def test_a_provider_error_is_an_answer(self, peer: Peer, stream: bool) -> None:
        assert player(peer, stream=stream).play(ProviderError("busy", status=503), None) is True
        received = peer.response()
        assert (received.status, decode(received.body)["error"]["message"]) == (503, "busy")

    def test_in_a_stream_it_is_a_record(self, peer: Peer) -> None:
        assert records(body(peer, ["par", ProviderError("x", code="c"), "never"]))[-1]["error"]["code"] == "c"

    @pytest.mark.parametrize("end", [Drop(), OSError("reset"), KeyboardInterrupt()])
    def test_a_drop_and_other_exceptions_end_the_connection(self, peer: Peer, end: object) -> None:
        assert player(peer).play(["a", end, "never"], None) is False
        sent = peer.rest()
        assert b'"content":"a"' in sent
        assert b"never" not in sent
        assert not sent.endswith(b"0\r\n\r\n")

    def test_an_http_answer_is_the_whole_response(self, peer: Peer) -> None:
        answer = HttpAnswer(429, "slow", {"retry-after": "1"})
        for script in (answer, [Pause(0), list, answer, "never"]):
            assert player(peer).play(script, None) is True
            received = peer.response()
            assert (received.status, received.headers["retry-after"], received.body) == (429, "1", b"slow")


class TestMistakes:
    @pytest.mark.parametrize("before", ["a", b"a"])
    def test_an_http_answer_cannot_come_after_the_beginning(self, peer: Peer, before: object) -> None:
        with pytest.raises(
            ConfigurationError, match="scripted model call 4 comes after the response has begun"
        ):
            player(peer, 4).play([before, HttpAnswer(500)], None)

    @pytest.mark.parametrize("wrong", [None, 3, [None], ["a", {}]])
    def test_what_is_no_item(self, peer: Peer, wrong: object) -> None:
        with pytest.raises(
            ConfigurationError, match=r"of scripted model call 4 is .* bytes, HttpAnswer, Drop"
        ):
            player(peer, 4).play(wrong, None)
        assert peer.rest() == b""

    @pytest.mark.parametrize("error", [LookupError("x"), SystemExit(), ProviderError("x")])
    def test_a_function_that_fails(self, peer: Peer, error: BaseException) -> None:
        def hook() -> None:
            raise error

        with pytest.raises(type(error)) as caught:
            player(peer).play([hook], None)
        assert caught.value is error

    def test_a_function_that_must_be_awaited(self, peer: Peer) -> None:
        with pytest.raises(ConfigurationError, match="nothing here can await"):
            player(peer).play([anyio.sleep_forever], None)


class TestFunctions:
    def test_each_runs_in_its_place_in_a_thread_of_its_own(self, peer: Peer) -> None:
        seen: list[Any] = []
        script = ["a", lambda: seen.extend([peer.client.recv(65536), threading.get_ident()]), "b"]
        assert player(peer).play(script, None) is True
        assert b'"content":"a"' in seen[0] and b'"content":"b"' not in seen[0]
        assert seen[1] != threading.get_ident()

    def test_a_client_that_leaves_ends_the_waiting(self, peer: Peer) -> None:
        never = threading.Event()
        reached: list[str] = []

        def leave() -> None:
            peer.client.close()
            never.wait(10)

        peer.connection.begin_answer()
        with pytest.raises(ClientGone):
            player(peer).play(["a", leave, lambda: reached.append("x")], None)
        never.set()
        assert (reached, peer.state.disconnects, peer.state.mistakes) == ([], 1, [])

    def test_and_a_pause(self, peer: Peer) -> None:
        peer.connection.begin_answer()
        peer.client.close()
        with pytest.raises(ClientGone):
            player(peer).play([Pause(3600), "a"], None)
