"""The kit for providers of chat-completions servers, whose vendor is given."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager

from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.hooks import AnyProvider
from finalturn._testing.conformance.kit import ProviderConformance
from finalturn._testing.scripted_server.items import ServerCall
from finalturn._testing.scripted_server.server import ScriptedServer
from finalturn.stability import beta

__all__ = ["ChatServerConformance"]


@beta(since="0.1.0")
class ChatServerConformance(ProviderConformance):
    """`ProviderConformance` for a provider that speaks chat completions: a `ScriptedServer` is its vendor.

    ```python
    class TestMine(ChatServerConformance):
        def connect(self, base_url):
            return MyChat(base_url=base_url, api_key=self.secret)
    ```
    """

    _server: ScriptedServer | None = None

    def connect(self, base_url: str, /) -> AnyProvider:
        """A new provider that asks this server.

        Args:
            base_url: its address, which ends in ``/v1``.
        """
        raise NotImplementedError(f"{type(self).__name__} must override connect(base_url)")

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> AbstractContextManager[AnyProvider]:
        """The provider that `connect` gives, on a server that plays the answers.

        Args:
            calls: one answer for each request.
        """
        return self._serving(calls)

    @contextmanager
    def _serving(self, calls: Sequence[ScriptedAnswer]) -> Generator[AnyProvider]:
        with ScriptedServer(*map(_as_server_call, calls)) as server:
            self._server = server
            yield self.connect(server.url)

    def sent(self) -> Sequence[str] | None:
        """The bodies of the requests that the server got."""
        return None if self._server is None else [request.body.decode() for request in self._server.requests]

    def released(self) -> bool | None:
        """Whether the server has seen its client leave."""
        server = self._server
        if server is None:
            return None
        try:
            server.wait_until(lambda: server.disconnects > 0, timeout=5.0)
        except TimeoutError:
            return False
        return True


def _as_server_call(answer: ScriptedAnswer) -> ServerCall:
    """The same; where one body is asked for, a cut closes the connection before any of it is sent."""
    if not answer.cut:
        return answer
    return lambda request: answer if request.json.get("stream") else ScriptedServer.DROP
