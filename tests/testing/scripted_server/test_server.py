"""ScriptedServer: what a test writes, and what it is told."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread

from finalturn._core.errors import ConfigurationError
from finalturn._core.model import ReasoningDelta
from finalturn._core.result import Usage
from finalturn._providers.scripted.provider import Scripted
from finalturn._testing.scripted_server.items import ServerCall, ServerItem
from finalturn.testing import HttpAnswer, ReceivedRequest, ScriptedServer
from tests.testing._client import deltas, post, reasons, records


class TestAnswers:
    def test_a_script_is_streamed(self, client: httpx2.Client) -> None:
        script: list[ServerItem] = [ReasoningDelta("hm"), "Hel", "lo", Scripted.call("f", {"a": 1})]
        with ScriptedServer(script) as server:
            response = post(client, server.url)
        assert response.headers["content-type"] == "text/event-stream"
        first, *found, last = deltas(response.content)
        assert first == {"role": "assistant", "content": ""}
        assert found[:3] == [{"reasoning_content": "hm"}, {"content": "Hel"}, {"content": "lo"}]
        assert found[3]["tool_calls"][0]["function"]["name"] == "f"
        assert (last, reasons(response.content)) == ({}, ["tool_calls"])
        assert records(response.content)[-1] == "[DONE]"

    def test_or_sent_as_one_body(self, client: httpx2.Client) -> None:
        with ScriptedServer(["Hel", "lo"], usage=Usage(total_tokens=5)) as server:
            response = post(client, server.url, stream=False)
        assert response.headers["content-type"] == "application/json"
        body = response.json()
        assert (body["object"], body["model"], body["usage"]["total_tokens"]) == ("chat.completion", "m", 5)
        assert body["choices"][0]["message"] == {"role": "assistant", "content": "Hello"}

    def test_then_answers_every_later_request(self, client: httpx2.Client) -> None:
        with ScriptedServer("a", then=lambda request: request.json["q"]) as server:
            found = [deltas(post(client, server.url, q=q).content)[1]["content"] for q in ("x", "y", "z")]
        assert found == ["a", "y", "z"]
        assert [request.json["q"] for request in server.requests] == ["x", "y", "z"]

    def test_drop_is_one_of_its_items(self, client: httpx2.Client) -> None:
        with (
            ScriptedServer(["par", ScriptedServer.DROP]) as server,
            pytest.raises(httpx2.RemoteProtocolError),
        ):
            post(client, server.url)


class TestTheEnd:
    def test_what_the_script_did_wrong_is_raised(self, client: httpx2.Client) -> None:
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
                post(client, server.url)

    def test_one_request_too_many_is_raised(self, client: httpx2.Client) -> None:
        with pytest.raises(AssertionError, match="holds 0 model"), ScriptedServer() as server:
            assert post(client, server.url).status_code == 400

    def test_the_first_mistake_is_raised(self, client: httpx2.Client) -> None:
        with pytest.raises(AssertionError, match="call 1 was"), ScriptedServer() as server:  # noqa: PT012
            post(client, server.url)
            post(client, server.url)

    def test_the_tests_own_error_goes_first(self, client: httpx2.Client) -> None:
        with pytest.raises(LookupError), ScriptedServer() as server:  # noqa: PT012
            post(client, server.url)
            raise LookupError

    def test_nobody_listens_any_more(self, client: httpx2.Client) -> None:
        with ScriptedServer("a") as server:
            url = server.url
        with pytest.raises(httpx2.ConnectError):
            post(client, url)


class TestWhatItTells:
    def test_without_running_it_has_no_url(self) -> None:
        with pytest.raises(RuntimeError, match="with statement"):
            _ = ScriptedServer().url
        ScriptedServer().__exit__(None, None, None)

    def test_connections_are_counted_and_waited_for(self, client: httpx2.Client) -> None:
        never = threading.Event()
        with ScriptedServer("a", ["a", never.wait]) as server:
            assert (server.connections, server.open_connections, server.requests) == (0, 0, [])
            post(client, server.url)
            assert (server.connections, server.open_connections, server.disconnects) == (1, 1, 0)
            with client.stream("POST", f"{server.url}/chat/completions", json={"stream": True}) as response:
                next(response.iter_raw())
            server.wait_until(lambda: server.disconnects == 1)
            assert (server.connections, server.open_connections, len(server.requests)) == (1, 0, 2)
        never.set()

    def test_a_condition_that_does_not_come_is_an_error(self) -> None:
        with ScriptedServer() as server, pytest.raises(TimeoutError, match="seen 0 connections"):
            server.wait_until(lambda: False, timeout=0)


@pytest.mark.anyio
async def test_a_coroutine_can_follow_it_on_any_loop() -> None:
    started, go_on = threading.Event(), threading.Event()
    texts: list[str] = []
    with ScriptedServer(["a", started.set, go_on.wait, "b"]) as server:

        async def ask() -> None:
            async with httpx2.AsyncClient(verify=False, trust_env=False) as client:
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
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
