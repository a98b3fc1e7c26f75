"""The HTTP side of a scripted server, seen by real clients."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._core.result import Usage
from finalturn._providers.scripted.items import Pause
from finalturn._providers.scripted.script import Script, ScriptError
from finalturn._testing.scripted_server.http_server import HttpServer
from finalturn._testing.scripted_server.items import Drop, HttpAnswer, ReceivedRequest, ServerCall
from finalturn._testing.scripted_server.state import State
from tests.testing._client import deltas, post, reasons, records


@contextmanager
def serving(
    *answers: ServerCall, then: ServerCall | None = None, usage: Usage | None = None
) -> Generator[HttpServer, None, None]:
    server = HttpServer(Script(answers, then), usage, State())
    try:
        yield server
    finally:
        server.stop()


def url(server: HttpServer) -> str:
    return f"http://127.0.0.1:{server.port}/v1"


def connected(server: HttpServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 10)


def mistakes(server: HttpServer) -> list[type[BaseException]]:
    """Those that are kept; a client may see the end of its connection a moment earlier."""
    server.state.wait_until(lambda: bool(server.state.mistakes), 10)
    return [type(error) for error in server.state.mistakes]


class TestAnswers:
    def test_requests_take_them_in_order(self, client: httpx2.Client) -> None:
        usage = Usage(input_tokens=1, total_tokens=1)
        with serving("a", HttpAnswer(503, "busy"), then="b", usage=usage) as server:
            first = post(client, url(server), stream_options={"include_usage": True})
            busy, then = post(client, url(server)), post(client, url(server), stream=False)
        assert deltas(first.content)[1] == {"content": "a"}
        assert records(first.content)[-2]["usage"]["total_tokens"] == 1
        assert (busy.status_code, busy.text) == (503, "busy")
        assert then.json()["choices"][0]["message"]["content"] == "b"

    def test_a_function_of_the_request_answers_it(self, client: httpx2.Client) -> None:
        def echo(request: ReceivedRequest) -> list[str]:
            return ["You said: ", request.json["q"]]

        with serving(echo) as server:
            assert deltas(post(client, url(server), q="Hi").content)[2] == {"content": "Hi"}

    def test_a_whole_response_may_be_compressed_or_empty(self, client: httpx2.Client) -> None:
        headers = {"Content-Type": "text/event-stream", "content-encoding": "gzip"}
        packed = HttpAnswer(200, gzip.compress(b"data: [DONE]\n\n"), headers)
        with serving(packed, [Pause(0), HttpAnswer(204)], "a") as server:
            assert records(post(client, url(server)).content) == ["[DONE]"]
            assert post(client, url(server)).status_code == 204
            assert reasons(post(client, url(server)).content) == ["stop"]
            assert server.state.connections == 1

    @pytest.mark.parametrize("end", [Drop(), OSError("reset")])
    def test_a_dropped_connection_breaks_the_response(self, client: httpx2.Client, end: Any) -> None:
        with serving(["par", end], end, "ok") as server:
            with pytest.raises(httpx2.RemoteProtocolError, match="incomplete"):
                post(client, url(server))
            with pytest.raises(httpx2.RemoteProtocolError):
                post(client, url(server))
            assert reasons(post(client, url(server)).content) == ["stop"]
            assert (server.state.connections, server.state.disconnects) == (3, 0)
        assert server.state.mistakes == []


class TestMistakes:
    def test_those_of_the_script_end_the_connection_and_are_kept(self, client: httpx2.Client) -> None:
        def wrong() -> None:
            raise LookupError("a hook")

        def returns_no_item(request: ReceivedRequest) -> Any:
            return [None]

        def fails(request: ReceivedRequest) -> str:
            raise ZeroDivisionError

        scripts: list[tuple[ServerCall, type[Exception]]] = [
            (["a", HttpAnswer(500)], ConfigurationError),
            ([wrong], LookupError),
            (returns_no_item, ConfigurationError),
            (fails, ZeroDivisionError),
        ]
        for script, error in scripts:
            with serving(script) as server:
                with pytest.raises(httpx2.RemoteProtocolError):
                    post(client, url(server))
                assert mistakes(server) == [error]
                assert server.state.disconnects == 0

    def test_a_request_too_many_is_refused_and_kept(self, client: httpx2.Client) -> None:
        with serving() as server:
            response = post(client, url(server))
            assert mistakes(server) == [ScriptError]
        assert response.status_code == 400
        assert "call 1 was made" in response.json()["error"]["message"]

    @pytest.mark.parametrize(
        "rest", [b"Content-Length: many\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\nmany\r\n"]
    )
    def test_a_request_that_cannot_be_read_is_kept(self, rest: bytes) -> None:
        with serving() as server, connected(server) as raw:
            raw.sendall(b"POST /v1/chat/completions HTTP/1.1\r\n" + rest)
            assert raw.recv(1) == b""
            assert mistakes(server) == [ValueError]

    def test_a_client_that_breaks_off_its_request_is_not(self) -> None:
        with serving() as server:
            with connected(server) as raw:
                raw.sendall(b"POST /v1/chat/comp")
            server.state.wait_until(
                lambda: (server.state.connections, server.state.open_connections) == (1, 0), 10
            )
        assert (server.state.mistakes, server.state.disconnects) == ([], 0)


class TestRequests:
    def test_they_are_kept(self, client: httpx2.Client) -> None:
        with serving(then="a") as server:
            for n in range(3):
                post(client, url(server), n=n)
        assert [request.json["n"] for request in server.script.requests] == [0, 1, 2]
        request = server.script.requests[0]
        assert (request.method, request.path) == ("POST", "/v1/chat/completions")
        assert request.headers["content-type"] == "application/json"

    def test_who_waits_for_one_is_told(self, client: httpx2.Client) -> None:
        release = threading.Event()
        with serving([release.wait]) as server, ThreadPoolExecutor(1) as threads:
            answer = threads.submit(post, client, url(server))
            server.state.wait_until(lambda: len(server.script.requests) == 1, 10)
            release.set()
            assert answer.result().status_code == 200

    def test_a_chunked_body_and_one_that_is_not_json(self, client: httpx2.Client) -> None:
        path = "/chat/completions?x=1"
        with serving(then="a") as server:
            for content in (iter([b'{"stream":', b"true}"]), b"[1]", b"{"):
                assert client.post(url(server) + path, content=content).status_code == 200
        assert [request.body for request in server.script.requests] == [b'{"stream":true}', b"[1]", b"{"]
        assert server.script.requests[0].path == f"/v1{path}"

    def test_extensions_and_trailers_of_a_chunked_body(self) -> None:
        with serving("a") as server, connected(server) as raw:
            raw.sendall(
                b"POST /v1/chat/completions HTTP/1.1\r\n"
                b"Transfer-Encoding: Chunked\r\nConnection: close\r\n\r\n"
                b"2;a=b\r\n[1\r\nA\r\n,123456789\r\n1\r\n]\r\n0\r\nx: y\r\n\r\n"
            )
            while raw.recv(65536):
                pass
        assert server.script.requests[0].json == [1, 123456789]

    def test_other_paths(self, client: httpx2.Client) -> None:
        with serving() as server:
            assert client.get(f"{url(server)}/models?x=1").json()["data"][0]["id"] == "scripted"
            assert client.get(f"{url(server)}/other").status_code == 404
            assert client.post(f"{url(server)}/embeddings", json={}).status_code == 404
        assert (server.script.requests, server.state.mistakes) == ([], [])

    def test_nothing_is_printed(self, client: httpx2.Client, capfd: pytest.CaptureFixture[str]) -> None:
        with serving("a") as server:
            post(client, url(server))
            client.get(f"{url(server)}/other")
        assert capfd.readouterr() == ("", "")


class TestConnections:
    def test_they_are_kept_alive(self, client: httpx2.Client) -> None:
        with serving(then="a") as server:
            for n in range(6):
                post(client, url(server), stream=n % 2 == 0)
            assert (server.state.connections, server.state.open_connections) == (1, 1)
            client.close()
            server.state.wait_until(lambda: server.state.open_connections == 0, 10)
            assert server.state.disconnects == 0

    def test_a_client_may_ask_to_close(self) -> None:
        head = b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        with serving() as server, connected(server) as raw:
            raw.sendall(head)
            while raw.recv(65536):
                pass
            server.state.wait_until(lambda: server.state.open_connections == 0, 10)

    @pytest.mark.parametrize("rest", [[Pause(3600)], ["x" * 100_000] * 1000], ids=["pause", "writing"])
    def test_a_client_that_leaves_is_noticed(self, client: httpx2.Client, rest: list[Any]) -> None:
        with serving(["a", *rest]) as server:
            read_a_little(client, server)
            server.state.wait_until(lambda: server.state.disconnects == 1, 10)
        assert server.state.mistakes == []

    def test_also_while_a_function_waits(self, client: httpx2.Client) -> None:
        never, released = threading.Event(), threading.Event()
        with serving(["a", never.wait, released.set]) as server:
            read_a_little(client, server)
            server.state.wait_until(lambda: server.state.disconnects == 1, 10)
            assert server.state.open_connections == 0
        never.set()
        assert not released.is_set()

    def test_a_client_that_stops_at_done_has_not_left_early(self, client: httpx2.Client) -> None:
        with serving(then=["a", "b"]) as server:
            for _ in range(20):
                with client.stream("POST", f"{url(server)}/chat/completions", json={"stream": True}) as found:
                    next(line for line in found.iter_lines() if "[DONE]" in line)
            client.close()
            server.state.wait_until(lambda: server.state.open_connections == 0, 10)
            assert server.state.disconnects == 0

    def test_stopping_ends_what_still_runs(self, client: httpx2.Client) -> None:
        started, never = threading.Event(), threading.Event()
        with ThreadPoolExecutor(1) as threads:
            with serving(["a", started.set, never.wait]) as server:
                answer = threads.submit(post, client, url(server))
                assert started.wait(10)
            with pytest.raises(httpx2.RemoteProtocolError):
                answer.result()
        never.set()
        assert (server.state.disconnects, server.state.open_connections, server.live) == (0, 0, {})

    def test_many_clients_at_once(self, client: httpx2.Client) -> None:
        def ask(n: int) -> httpx2.Response:
            return post(client, url(server), n=n)

        with (
            serving(then=lambda request: [str(request.json["n"]), "!"]) as server,
            ThreadPoolExecutor(8) as threads,
        ):
            answers = list(threads.map(ask, range(64)))
        assert [deltas(answer.content)[1]["content"] for answer in answers] == [str(n) for n in range(64)]


def read_a_little(client: httpx2.Client, server: HttpServer) -> None:
    with client.stream("POST", f"{url(server)}/chat/completions", json={"stream": True}) as response:
        next(response.iter_raw())
