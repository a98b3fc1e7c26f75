"""Plays a turn through one driver, with one kind of provider, and tells what its surface showed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter

from finalturn import Agent, Capabilities, Message, ModelRequest, ModelSettings, StructuredOutputConfig
from finalturn.core import json_text
from finalturn.core.protocols import Provider, SessionStore, StreamingProvider, ToolGate
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ScriptedServer
from finalturn.tools import Tool
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._observed import Observed

Format = type[BaseModel] | TypeAdapter[Any] | Mapping[str, Any] | None
Opened = tuple[Provider | StreamingProvider, Callable[[], Sequence[str]]]

SCRIPTED_KINDS: dict[str, Callable[[Scripted], Provider | StreamingProvider]] = {
    "streaming": lambda script: script,
    "whole-reply": lambda script: script.whole_reply(),
    "sync-whole-reply": lambda script: script.whole_reply(sync=True),
    "sync-stream": lambda script: script.sync_stream(),
}
KINDS = (*SCRIPTED_KINDS, "http")


@dataclass(frozen=True)
class Play:
    """A driver and a kind of provider.

    Attributes:
        driver: a name in `CHUNK_DRIVERS` or `TOKEN_DRIVERS`.
        kind: a name in `KINDS`.
    """

    driver: str
    kind: str

    @property
    def streams(self) -> bool:
        """Whether the provider gives text in the pieces that the script has."""
        return "whole" not in self.kind

    def __call__(
        self,
        *calls: Any,
        given: str | list[Message] = "Where is my order?",
        response_format: Format = None,
        config: StructuredOutputConfig | None = None,
        tools: Sequence[Tool[..., Any]] = (),
        gates: Sequence[ToolGate] = (),
        context: Sequence[Any] = (),
        system_prompt: Any = "",
        sessions: SessionStore | None = None,
        session: str | None = None,
        capabilities: Capabilities | None = None,
        max_iterations: int = 10,
        parallel_tools: bool = True,
        settings: ModelSettings | None = None,
    ) -> Observed:
        """Play one turn of an agent made of these parts; ``calls`` is what the model does."""
        observed = Observed()
        with self.provider(calls, capabilities or Capabilities()) as (provider, requests):
            agent: Agent[Any] = Agent(
                provider,
                tools=tools,
                system_prompt=system_prompt,
                structured_output=config or StructuredOutputConfig(),
                response_format=response_format,
                max_iterations=max_iterations,
                parallel_tools=parallel_tools,
                gates=gates,
                context=context,
                sessions=sessions,
                settings=settings or ModelSettings(),
            )
            self.drive(agent, given, observed, session=session)
            observed.requests = requests()
        return observed

    def drive(self, agent: Agent[Any], given: Any, observed: Observed, **call: Any) -> None:
        """Drive one turn; what it raises is observed."""
        drive = {**CHUNK_DRIVERS, **TOKEN_DRIVERS}[self.driver]
        try:
            drive(agent, given, call, observed)
        except Exception as error:
            observed.error = error

    @contextmanager
    def provider(self, calls: Sequence[Any], capabilities: Capabilities) -> Generator[Opened]:
        """A provider of this kind, and a function that tells what it was sent."""
        if self.kind == "http":
            with ScriptedServer(*calls) as server:
                chat = OpenAIChat("scripted", base_url=server.url, capabilities=capabilities, max_retries=0)
                yield chat, lambda: [request.body.decode() for request in server.requests]
        else:
            script = Scripted(*calls, capabilities=capabilities)
            yield SCRIPTED_KINDS[self.kind](script), lambda: [_sent(one) for one in script.requests]


def _sent(request: ModelRequest) -> str:
    sent = {
        "system": request.system,
        "messages": [message.to_dict() for message in request.messages],
        "tools": [{"name": tool.name, "parameters": tool.parameters} for tool in request.tools],
        "output": None if request.output is None else request.output.schema,
        "tool_choice": request.settings.tool_choice,
    }
    return json_text.encode(sent).decode()
