"""A chat-completions server that says what a test wants it to say."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final

from finalturn._core.result import Usage
from finalturn._providers.scripted.script import Script
from finalturn._support.keywords import known_keywords
from finalturn._testing.scripted_server.items import Drop, ReceivedRequest, ServerCall
from finalturn._testing.scripted_server.state import State
from finalturn.stability import beta

if TYPE_CHECKING:
    from finalturn._testing.scripted_server.http_server import HttpServer

__all__ = ["ScriptedServer"]


@beta(since="0.1.0")
class ScriptedServer:
    """A local chat-completions server that plays a script: each argument answers one request, in order.

    ```python
    with ScriptedServer(
        ["Let me look. ", Scripted.call("lookup_order", {"id": "A-1"})],
        "It is on its way.",
    ) as server:
        agent = Agent(OpenAIChat("any", base_url=server.url, api_key="x"), tools=[lookup_order])
        agent.run("Where is my order?")
    assert server.requests[0].json["stream"] is True
    ```

    An answer is written as for `Scripted`, and sent as a stream of chunks or as one JSON body, as the
    request asks. A stream has usage when the request asks for it and the script says it. What differs:

    - a function of the request gets a `ReceivedRequest`;
    - a function without arguments runs in a thread of its own: wait with ``threading.Event().wait``;
    - ``bytes`` are sent as they are, in the place of records. Where a script has nothing else to say,
      nothing is added: no role, no end, no ``[DONE]``;
    - an `HttpAnswer` is a whole response, such as an error. It must be the first thing that is sent;
    - a `ProviderError` is an HTTP error of its status (500 without one), or an error record once a stream
      has begun. Any other exception, and `DROP`, close the connection;
    - ``Scripted.CUT`` ends the body in good order, without ``[DONE]``; after a ``ModelEnd()`` of its own,
      the stream has its finish reason.

    The server listens on a free port of the loopback interface and runs in threads of its own, for tests
    on any event loop or none. It keeps connections alive. Use it as a context manager. At the end, what
    the script itself did wrong is raised: a request too many, a function that failed.

    Args:
        *calls: what the requests are answered with.
        then: what every later request is answered with; without it, a later one is answered with
            status 400, and leaving the context raises an ``AssertionError``.
        usage: the tokens of each call that does not say otherwise; by default, none are reported.
    """

    DROP: Final = Drop()
    """An item: the connection is closed in the middle of the response."""

    @known_keywords("ScriptedServer")
    def __init__(
        self, *calls: ServerCall, then: ServerCall | None = None, usage: Usage | None = None
    ) -> None:
        self._script: Script[ReceivedRequest, ServerCall] = Script(calls, then)
        self._usage = usage
        self._state = State()
        self._http: HttpServer | None = None

    def __enter__(self) -> ScriptedServer:
        from finalturn._testing.scripted_server.http_server import HttpServer

        self._http = HttpServer(self._script, self._usage, self._state)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._http is not None:
            self._http.stop()
        if error is None and self._state.mistakes:
            raise self._state.mistakes[0]

    @property
    def url(self) -> str:
        """The base URL for a client; it ends in ``/v1``.

        Raises:
            RuntimeError: the server does not run yet.
        """
        if self._http is None:
            raise RuntimeError("the server does not run yet: use it in a with statement")
        return f"http://127.0.0.1:{self._http.port}/v1"

    @property
    def requests(self) -> list[ReceivedRequest]:
        """Every request for a completion so far, in order."""
        return self._script.requests

    @property
    def connections(self) -> int:
        """How many connections clients have made."""
        return self._state.connections

    @property
    def open_connections(self) -> int:
        """How many of them are open, idle ones included."""
        return self._state.open_connections

    @property
    def disconnects(self) -> int:
        """How many clients have left in the middle of an answer."""
        return self._state.disconnects

    def wait_until(self, condition: Callable[[], bool], timeout: float = 10.0) -> None:
        """Wait, and block this thread, until the condition holds: what a client did is seen a moment later.

        ``server.wait_until(lambda: server.disconnects == 1)``; in a coroutine, by
        ``anyio.to_thread.run_sync(server.wait_until, ...)``.

        Args:
            condition: looked at whenever a request or a counter of this server changes.
            timeout: how long at most, in seconds.

        Raises:
            TimeoutError: it did not come to hold.
        """
        self._state.wait_until(condition, timeout)
