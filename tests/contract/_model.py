"""A scripted model, behind each kind of provider."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from finalturn import Capabilities, ModelRequest
from finalturn._core import json_text
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ScriptedServer
from tests.contract._memory_http import MemoryServer


class Model(Protocol):
    """A scripted model: what it was asked, and what became of its answers."""

    @property
    def provider(self) -> Provider | StreamingProvider:
        """What an agent asks it by."""
        ...

    @property
    def requests(self) -> Sequence[str]:
        """What it was sent, as JSON text."""
        ...

    @property
    def under_way(self) -> int:
        """How many answers are being given, or how many connections are open."""
        ...

    @property
    def abandoned(self) -> int:
        """How many answers nobody read to their end."""
        ...

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Assert a condition; a server sees a moment later what its client did."""
        ...


@dataclass(frozen=True)
class ScriptedModel:
    """A model in this process."""

    script: Scripted
    provider: Provider | StreamingProvider

    @property
    def requests(self) -> Sequence[str]:
        return [_sent(request) for request in self.script.requests]

    @property
    def under_way(self) -> int:
        return self.script.open

    @property
    def abandoned(self) -> int:
        return self.script.abandoned

    def wait_until(self, condition: Callable[[], bool]) -> None:
        assert condition()


@dataclass(frozen=True)
class ServedModel:
    """A model behind a socket."""

    server: ScriptedServer
    provider: OpenAIChat

    @property
    def requests(self) -> Sequence[str]:
        return [request.body.decode() for request in self.server.requests]

    @property
    def under_way(self) -> int:
        return self.server.open_connections

    @property
    def abandoned(self) -> int:
        return self.server.disconnects

    def wait_until(self, condition: Callable[[], bool]) -> None:
        self.server.wait_until(condition)


@dataclass(frozen=True)
class MemoryModel:
    """A model behind HTTP, but for the socket. An answer is never under way: it is there as a whole."""

    server: MemoryServer
    provider: OpenAIChat
    under_way: int = 0
    abandoned: int = 0

    @property
    def requests(self) -> Sequence[str]:
        return [request.body.decode() for request in self.server.requests]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        assert condition()


@contextmanager
def served(
    *calls: Any, capabilities: Capabilities, then: Any = None, retries: int = 0
) -> Generator[ServedModel]:
    """A model behind a socket."""
    with ScriptedServer(*calls, then=then) as server:
        chat = OpenAIChat("scripted", base_url=server.url, capabilities=capabilities, max_retries=retries)
        yield ServedModel(server, chat)


@contextmanager
def in_memory(*calls: Any, capabilities: Capabilities, retries: int = 0) -> Generator[MemoryModel]:
    """The same without the socket: half of what a turn over HTTP takes is the network."""
    server = MemoryServer(*calls)
    chat = OpenAIChat(
        "scripted",
        base_url="http://memory/v1",
        capabilities=capabilities,
        max_retries=retries,
        http_client=httpx2.AsyncClient(transport=server, trust_env=False),
    )
    yield MemoryModel(server, chat)
    server.check()


def _sent(request: ModelRequest) -> str:
    sent = {
        "system": request.system,
        "messages": [message.to_dict() for message in request.messages],
        "tools": [{"name": tool.name, "parameters": tool.parameters} for tool in request.tools],
        "output": None if request.output is None else request.output.schema,
        "tool_choice": request.settings.tool_choice,
    }
    return json_text.encode(sent).decode()
