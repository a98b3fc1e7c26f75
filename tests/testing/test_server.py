"""ScriptedServer: what it sends, seen on the wire by real HTTP clients, and what it tells a test."""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread

from finalturn.core.errors import ConfigurationError, ProviderError
from finalturn.core.json_text import decode
from finalturn.core.messages import ToolCall
from finalturn.core.model import ModelEnd, ModelResponse, ReasoningDelta, ToolCallDelta
from finalturn.core.result import Usage
from finalturn.providers._scripted import Scripted
from finalturn.testing import HttpAnswer, ReceivedRequest, ScriptedServer
from finalturn.testing._http_items import ServerCall

USAGE = Usage(input_tokens=3, cached_tokens=1, output_tokens=2, reasoning_tokens=1, total_tokens=5)
WITH_USAGE = {"stream_options": {"include_usage": True}}


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(trust_env=False) as found:
        yield found


def post(client: httpx2.Client, server: ScriptedServer, **fields: Any) -> httpx2.Response:
    return client.post(f"{server.url}/chat/completions", json={"model": "m", "stream": True, **fields})


def records(response: httpx2.Response) -> list[Any]:
    """The records of an SSE body; the last of them may be ``[DONE]``."""
    assert response.headers["content-type"] == "text/event-stream"
    found = [record.removeprefix("data: ") for record in response.text.split("\n\n") if record]
    return [record if record == "[DONE]" else decode(record) for record in found]


def deltas(response: httpx2.Response) -> list[dict[str, Any]]:
    chunks = [record for record in records(response) if record != "[DONE]" and record["choices"]]
    return [chunk["choices"][0]["delta"] for chunk in chunks]


def reasons(response: httpx2.Response) -> list[str]:
    chunks = [record for record in records(response) if record != "[DONE]" and record["choices"]]
    return [reason for chunk in chunks if (reason := chunk["choices"][0]["finish_reason"])]


class TestStreams:
    def test_a_text_has_role_pieces_reason_and_done(self, client: httpx2.Client) -> None:
        with ScriptedServer(["Hel", "lo"]) as server:
            response = post(client, server)
        assert deltas(response) == [
            {"role": "assistant", "content": ""},
            {"content": "Hel"},
            {"content": "lo"},
            {},
        ]
        assert reasons(response) == ["stop"]
        first, *_, last = records(response)
        assert (first["object"], first["model"], last) == ("chat.completion.chunk", "m", "[DONE]")

    def test_reasoning_and_calls_have_their_own_fields(self, client: httpx2.Client) -> None:
        with ScriptedServer(
            [ReasoningDelta("hm"), Scripted.call("f", {"a": 1}), ToolCall("g", id="x")]
        ) as server:
            response = post(client, server)
        assert deltas(response)[1:-1] == [
            {"reasoning_content": "hm"},
            *(
                {"tool_calls": [entry]}
                for entry in (
                    {
                        "index": 0,
                        "id": "call_0_0",
                        "type": "function",
                        "function": {"name": "f", "arguments": ""},
                    },
                    {"index": 0, "function": {"arguments": '{"a'}},
                    {"index": 0, "function": {"arguments": '":1}'}},
                    {"index": 1, "id": "x", "type": "function", "function": {"name": "g", "arguments": ""}},
                    {"index": 1, "function": {"arguments": "{"}},
                    {"index": 1, "function": {"arguments": "}"}},
                )
            ),
        ]
        assert reasons(response) == ["tool_calls"]

    def test_a_delta_without_index_has_none(self, client: httpx2.Client) -> None:
        with ScriptedServer([ToolCallDelta(None, "", arguments="{}")]) as server:
            response = post(client, server)
        assert deltas(response)[1] == {
            "tool_calls": [{"id": "", "type": "function", "function": {"arguments": "{}"}}]
        }

    def test_usage_comes_when_it_is_asked_for_and_known(self, client: httpx2.Client) -> None:
        with ScriptedServer("a", "a", usage=USAGE) as server:
            asked, unasked = post(client, server, **WITH_USAGE), post(client, server)
        with ScriptedServer("a") as server:
            unknown = post(client, server, **WITH_USAGE)
        assert records(asked)[-2]["choices"] == []
        assert records(asked)[-2]["usage"] == {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "total_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 1},
        }
        assert "usage" not in unasked.text + unknown.text

    def test_other_reasons(self, client: httpx2.Client) -> None:
        with ScriptedServer(ModelEnd("length"), ["No.", ModelEnd("refusal")]) as server:
            assert reasons(post(client, server)) == ["length"]
            assert reasons(post(client, server)) == ["content_filter"]

    def test_cut_ends_the_body_without_a_marker(self, client: httpx2.Client) -> None:
        with ScriptedServer(["a", Scripted.CUT], ["a", ModelEnd(), Scripted.CUT]) as server:
            nothing, reason = post(client, server), post(client, server)
        assert (reasons(nothing), reasons(reason)) == ([], ["stop"])
        assert "[DONE]" not in nothing.text + reason.text

    def test_bytes_are_sent_as_they_are(self, client: httpx2.Client) -> None:
        raw = b": comment\r\n\r\ndata: {\xff\r\n\r\n"
        with ScriptedServer(raw, [raw[:5], b"", raw[5:]], ["a", raw]) as server:
            alone, parts, mixed = (post(client, server) for _ in range(3))
        assert (alone.content, parts.content) == (raw, raw)
        assert mixed.content.partition(raw)[2].endswith(b"data: [DONE]\n\n")


class TestWholeBodies:
    def test_they_hold_the_same(self, client: httpx2.Client) -> None:
        answer = ModelResponse("Hi", "hm", (ToolCall("f", {"a": 1}, id="c"),), "tool_calls", USAGE)
        with ScriptedServer(answer) as server:
            response = post(client, server, stream=False)
        body = response.json()
        assert response.headers["content-type"] == "application/json"
        assert (body["object"], body["model"], body["usage"]["total_tokens"]) == ("chat.completion", "m", 5)
        assert body["choices"] == [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Hi",
                    "reasoning_content": "hm",
                    "tool_calls": [
                        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ]

    def test_calls_stay_as_malformed_as_they_are(self, client: httpx2.Client) -> None:
        items = [Scripted.call("f", '{"a'), ToolCallDelta(None, None, "g", "{"), ToolCallDelta(arguments="}")]
        with ScriptedServer([*items, Scripted.CUT]) as server:
            (choice,) = post(client, server, stream=False).json()["choices"]
        functions = [call["function"] for call in choice["message"]["tool_calls"]]
        assert functions == [{"name": "f", "arguments": '{"a'}, {"name": "g", "arguments": "{}"}]
        assert (choice["message"]["content"], choice["finish_reason"]) == (None, None)

    def test_bytes_are_the_body(self, client: httpx2.Client) -> None:
        with ScriptedServer([b'{"odd": ', b"1}"]) as server:
            assert post(client, server, stream=False).json() == {"odd": 1}


class TestFailures:
    def test_an_http_answer_is_the_whole_response(self, client: httpx2.Client) -> None:
        zipped = gzip.compress(b"data: [DONE]\n\n")
        sse_gzip = {"Content-Type": "text/event-stream", "content-encoding": "gzip"}
        with ScriptedServer(
            HttpAnswer(429, {"error": "slow"}, {"retry-after": "1"}),
            HttpAnswer(599, "busy"),
            HttpAnswer(200, zipped, sse_gzip),
            [Scripted.pause(0), HttpAnswer(204)],
        ) as server:
            slow, busy, packed, empty = (post(client, server) for _ in range(4))
        assert (slow.status_code, slow.headers["retry-after"], slow.json()) == (429, "1", {"error": "slow"})
        assert (busy.status_code, busy.text) == (599, "busy")
        assert records(packed) == ["[DONE]"]
        assert (empty.status_code, empty.content) == (204, b"")

    @pytest.mark.parametrize("stream", [True, False])
    def test_a_provider_error_is_an_http_error(self, client: httpx2.Client, stream: bool) -> None:
        busy = ProviderError("busy", status=503, code="overloaded", detail="the vendor's words")
        with ScriptedServer(busy, ProviderError("gone")) as server:
            first, second = post(client, server, stream=stream), post(client, server, stream=stream)
        assert (first.status_code, second.status_code) == (503, 500)
        assert first.json()["error"]["message"] == "the vendor's words"
        assert second.json()["error"]["message"] == "gone"

    def test_in_a_stream_it_is_a_record(self, client: httpx2.Client) -> None:
        with ScriptedServer(["par", ProviderError("overloaded", code="x"), "never"]) as server:
            response = post(client, server)
        assert response.status_code == 200
        assert records(response)[-1]["error"]["code"] == "x"

    @pytest.mark.parametrize("end", [ScriptedServer.DROP, OSError("reset")])
    def test_a_dropped_connection_breaks_the_response(self, client: httpx2.Client, end: Any) -> None:
        with ScriptedServer(["par", end], end, "ok") as server:
            with pytest.raises(httpx2.RemoteProtocolError, match="incomplete"):
                post(client, server)
            with pytest.raises(httpx2.RemoteProtocolError):
                post(client, server)
            assert reasons(post(client, server)) == ["stop"]
            assert (server.connections, server.disconnects) == (3, 0)

    def test_what_the_script_did_wrong_is_raised_at_the_end(self, client: httpx2.Client) -> None:
        def wrong() -> None:
            raise LookupError("a hook")

        def returns_no_item(request: ReceivedRequest) -> Any:
            return [None]

        scripts: list[tuple[ServerCall, type[Exception]]] = [
            (["a", HttpAnswer(500)], ConfigurationError),
            ([wrong], LookupError),
            ([anyio.sleep_forever], ConfigurationError),
            (returns_no_item, ConfigurationError),
        ]
        for script, error in scripts:
            with (
                pytest.raises(error),
                ScriptedServer(script) as server,
                pytest.raises(httpx2.RemoteProtocolError),
            ):
                post(client, server)

    def test_so_is_a_request_that_cannot_be_read(self) -> None:
        head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: many\r\n\r\n"
        with (  # noqa: PT012
            pytest.raises(ValueError, match="invalid literal"),
            ScriptedServer() as server,
            socket.create_connection(("127.0.0.1", port(server))) as raw,
        ):
            raw.sendall(head)
            assert raw.recv(1) == b""

    def test_one_request_too_many_is_refused_and_raised(self, client: httpx2.Client) -> None:
        with pytest.raises(AssertionError, match="holds 0 model"), ScriptedServer() as server:  # noqa: PT012
            response = post(client, server)
            assert response.status_code == 400
            assert "call 1 was made" in response.json()["error"]["message"]

    def test_the_tests_own_error_goes_first(self, client: httpx2.Client) -> None:
        with pytest.raises(LookupError), ScriptedServer() as server:  # noqa: PT012
            post(client, server)
            raise LookupError


class TestRequests:
    def test_they_are_kept(self, client: httpx2.Client) -> None:
        with ScriptedServer("a", then="b") as server:
            for n in range(3):
                post(client, server, n=n)
        assert [request.json["n"] for request in server.requests] == [0, 1, 2]
        request = server.requests[0]
        assert (request.method, request.path) == ("POST", "/v1/chat/completions")
        assert request.headers["content-type"] == "application/json"

    def test_a_function_of_the_request_answers_it(self, client: httpx2.Client) -> None:
        def echo(request: ReceivedRequest) -> list[str]:
            return ["You said: ", request.json["q"]]

        with ScriptedServer(echo) as server:
            assert deltas(post(client, server, q="Hi"))[2] == {"content": "Hi"}

    def test_a_chunked_body_and_one_that_is_not_json(self, client: httpx2.Client) -> None:
        url = "/chat/completions?x=1"
        with ScriptedServer(then="a") as server:
            for content in (iter([b'{"stream":', b"true}"]), b"[1]", b"{"):
                assert client.post(server.url + url, content=content).status_code == 200
        assert [request.body for request in server.requests] == [b'{"stream":true}', b"[1]", b"{"]
        assert server.requests[0].path == f"/v1{url}"

    def test_other_paths(self, client: httpx2.Client) -> None:
        with ScriptedServer() as server:
            assert client.get(f"{server.url}/models").json()["data"][0]["id"] == "scripted"
            assert client.get(f"{server.url}/other").status_code == 404
            assert client.post(f"{server.url}/embeddings", json={}).status_code == 404
            assert server.requests == []

    def test_without_running_it_has_no_url(self) -> None:
        with pytest.raises(RuntimeError, match="with statement"):
            _ = ScriptedServer().url
        ScriptedServer().__exit__(None, None, None)


class TestConnections:
    def test_they_are_kept_alive(self, client: httpx2.Client) -> None:
        with ScriptedServer(then="a") as server:
            for n in range(6):
                post(client, server, stream=n % 2 == 0)
            assert (server.connections, server.open_connections) == (1, 1)
            client.close()
            server.wait_until(lambda: server.open_connections == 0)
            assert server.disconnects == 0

    def test_a_client_may_ask_to_close(self) -> None:
        head = b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        with ScriptedServer() as server, socket.create_connection(("127.0.0.1", port(server))) as raw:
            raw.sendall(head)
            while raw.recv(65536):
                pass
            server.wait_until(lambda: server.open_connections == 0)

    def test_a_client_that_leaves_is_noticed_while_a_function_waits(self, client: httpx2.Client) -> None:
        never, released = threading.Event(), threading.Event()
        with ScriptedServer(["a", never.wait, released.set]) as server:
            with client.stream("POST", f"{server.url}/chat/completions", json={"stream": True}) as response:
                next(response.iter_raw())
            server.wait_until(lambda: server.disconnects == 1)
            assert server.open_connections == 0
        never.set()
        assert not released.is_set()

    def test_and_during_a_pause(self, client: httpx2.Client) -> None:
        with ScriptedServer(["a", Scripted.pause(3600)]) as server:
            with client.stream("POST", f"{server.url}/chat/completions", json={"stream": True}) as response:
                next(response.iter_raw())
            server.wait_until(lambda: server.disconnects == 1)

    def test_and_while_it_writes(self, client: httpx2.Client) -> None:
        with ScriptedServer(["x" * 100_000] * 1000) as server:
            with client.stream("POST", f"{server.url}/chat/completions", json={"stream": True}) as response:
                next(response.iter_raw())
            server.wait_until(lambda: server.disconnects == 1)

    def test_a_client_that_stops_at_done_has_not_left_early(self, client: httpx2.Client) -> None:
        with ScriptedServer(then=["a", "b"]) as server:
            for _ in range(20):
                with client.stream(
                    "POST", f"{server.url}/chat/completions", json={"stream": True}
                ) as response:
                    next(line for line in response.iter_lines() if "[DONE]" in line)
            client.close()
            server.wait_until(lambda: server.open_connections == 0)
            assert server.disconnects == 0

    def test_closing_ends_what_still_runs(self, client: httpx2.Client) -> None:
        started, never = threading.Event(), threading.Event()
        with ThreadPoolExecutor(1) as threads:
            with ScriptedServer(["a", started.set, never.wait]) as server:
                answer = threads.submit(post, client, server)
                assert started.wait(10)
            with pytest.raises(httpx2.RemoteProtocolError):
                answer.result()
        never.set()
        assert server.disconnects == 0

    def test_a_condition_that_does_not_come_says_what_was_seen(self) -> None:
        with ScriptedServer() as server, pytest.raises(TimeoutError, match="seen 0 connections"):
            server.wait_until(lambda: False, timeout=0)

    def test_many_clients_at_once(self, client: httpx2.Client) -> None:
        def ask(n: int) -> httpx2.Response:
            return post(client, server, n=n)

        with (
            ScriptedServer(then=lambda request: [str(request.json["n"]), "!"]) as server,
            ThreadPoolExecutor(8) as threads,
        ):
            answers = list(threads.map(ask, range(64)))
        assert [deltas(answer)[1]["content"] for answer in answers] == [str(n) for n in range(64)]


@pytest.mark.anyio
async def test_a_coroutine_can_follow_it_on_any_loop() -> None:
    started, go_on = threading.Event(), threading.Event()
    texts: list[str] = []
    with ScriptedServer(["a", started.set, go_on.wait, "b"]) as server:

        async def ask() -> None:
            async with httpx2.AsyncClient(trust_env=False) as client:
                response = await client.post(f"{server.url}/chat/completions", json={"stream": True})
                texts.append(response.text)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await to_thread.run_sync(started.wait)
            go_on.set()
        await to_thread.run_sync(server.wait_until, lambda: server.open_connections == 0)
    assert "[DONE]" in texts[0]


def test_it_needs_neither_pytest_nor_an_event_loop() -> None:
    code = (
        "import sys, finalturn.testing\n"
        "with finalturn.testing.ScriptedServer(): pass\n"
        "sys.exit(sorted({'pytest', '_pytest'} & set(sys.modules)) or 0)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")


def port(server: ScriptedServer) -> int:
    return int(server.url.split(":")[2].split("/")[0])
