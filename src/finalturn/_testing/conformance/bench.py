"""`Bench`: what a case of the kit asks a provider through, directly or as part of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from finalturn._adapters.events import WholeReply, open_events
from finalturn._agent import Agent, StructuredOutputConfig
from finalturn._agent.checks import check_provider
from finalturn._agent.request import adapt
from finalturn._core.assembly import ToolCallAssembler
from finalturn._core.chunks import StreamChunk
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import AgentResult
from finalturn._testing.conformance.hooks import AnyProvider, KitHooks
from finalturn._testing.recording.record import record
from finalturn._tools import Tool

if TYPE_CHECKING:
    from finalturn.contract import Trace

Way: TypeAlias = Literal["stream", "complete"]


class NotRunError(Exception):
    """The case says nothing about this provider; its text says why.

    Attributes:
        general: the same holds for every case that is played this way.
    """

    def __init__(self, reason: str, *, general: bool = False) -> None:
        super().__init__(reason)
        self.general = general


class ViolatedError(Exception):
    """The provider breaks the case's clause; its text says how."""


class UnansweredError(Exception):
    """The provider failed where it was to answer."""


@dataclass
class Answered:
    """What a provider gave for one request.

    Attributes:
        events: in order; a whole reply's are made of it.
        error: what it raised.
    """

    events: list[object] = field(default_factory=list[object])
    error: Exception | None = None

    def well(self) -> Answered:
        """The same, when it did not raise.

        Raises:
            UnansweredError: it did.
        """
        if self.error is not None:
            raise UnansweredError(f"the call raised {type(self.error).__name__}") from self.error
        return self

    @property
    def unexpected_types(self) -> list[str]:
        """The types of what is no event."""
        kinds = (TextDelta, ReasoningDelta, ToolCallDelta, ModelEnd, WholeReply)
        return [type(event).__name__ for event in self.events if not isinstance(event, kinds)]

    @property
    def whole_reply(self) -> ModelResponse | None:
        """The whole reply, when it is one."""
        return next((event.response for event in self.events if isinstance(event, WholeReply)), None)

    @property
    def text(self) -> str:
        """All text."""
        if self.whole_reply is not None:
            return self.whole_reply.content
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def reasoning(self) -> str:
        """All reasoning."""
        if self.whole_reply is not None:
            return self.whole_reply.reasoning
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def ends(self) -> list[ModelEnd]:
        """Every end; a whole reply has one."""
        if self.whole_reply is not None:
            return [ModelEnd(self.whole_reply.finish_reason, self.whole_reply.usage)]
        return [event for event in self.events if isinstance(event, ModelEnd)]

    @property
    def deltas(self) -> list[ToolCallDelta]:
        """The pieces of tool calls."""
        return [event for event in self.events if isinstance(event, ToolCallDelta)]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, put together as an agent does it."""
        if self.whole_reply is not None:
            return tuple(self.whole_reply.tool_calls)
        assembler = ToolCallAssembler()
        for delta in self.deltas:
            assembler.add(delta)
        return assembler.finish(cut=any(end.finish_reason == "length" for end in self.ends))


@dataclass
class ShownTurn:
    """What a turn showed."""

    chunks: list[StreamChunk] = field(default_factory=list[StreamChunk])
    ended: AgentResult[Any] | None = None
    error: Exception | None = None

    @property
    def result(self) -> AgentResult[Any]:
        """Its result.

        Raises:
            UnansweredError: it has none.
        """
        if self.ended is None:
            raise UnansweredError(f"the turn raised {type(self.error).__name__}") from self.error
        return self.ended

    @property
    def content(self) -> str:
        """All content that was shown."""
        return "".join(chunk.content for chunk in self.chunks)

    @property
    def reasoning(self) -> str:
        """All reasoning that was shown."""
        return "".join(chunk.reasoning for chunk in self.chunks)


class _WholeOnly:
    """A provider's method complete alone, so that an agent uses it."""

    def __init__(
        self, provider: Provider, capabilities: Capabilities, unsupported_settings: frozenset[str]
    ) -> None:
        self.capabilities = capabilities
        self.unsupported_settings = unsupported_settings
        self.complete = provider.complete


class Bench:
    """Puts requests to a provider, by one of its methods.

    Args:
        provider: what the author's factory gave.
        way: which of its methods is asked.
        hooks: what the author can tell of the fake behind it.

    Attributes:
        capabilities: what the provider says that its model can do.
        unsupported_settings: names of `ModelSettings` fields that it says it cannot take.
        traces: the turns that were played, recorded.

    Raises:
        NotRunError: it has no such method.
    """

    def __init__(self, provider: AnyProvider, way: Way, hooks: KitHooks) -> None:
        self.capabilities = check_provider(provider)
        self.unsupported_settings: frozenset[str] = getattr(provider, "unsupported_settings", frozenset())
        self.way: Way = way
        self.hooks = hooks
        self.traces: list[Trace] = []
        if way == "stream":
            if not isinstance(provider, StreamingProvider):
                raise NotRunError("the provider has no method stream", general=True)
            self.provider: AnyProvider = provider
        else:
            if not isinstance(provider, Provider):
                raise NotRunError("the provider has no method complete", general=True)
            self.provider = _WholeOnly(provider, self.capabilities, self.unsupported_settings)

    async def ask(self, request: ModelRequest) -> Answered:
        """Put one request to it as an agent would, and read all that comes, past the end too."""
        answered = Answered()
        try:
            reading = self.read(request)
            try:
                async for event in reading:
                    answered.events.append(event)
            finally:
                await close(reading)
        except Exception as error:
            answered.error = error
        return answered

    def read(self, request: ModelRequest) -> Any:
        """An iterator of what comes."""
        return open_events(self.provider, adapt(request, self.capabilities))

    def agent(
        self,
        *,
        tools: Sequence[Tool[..., Any]] = (),
        response_format: Any = None,
        config: StructuredOutputConfig | None = None,
        settings: ModelSettings | None = None,
    ) -> Agent[Any, Any]:
        """An agent on the provider."""
        agent: Agent[Any, Any] = Agent(
            self.provider,
            tools=tools,
            response_format=response_format,
            structured_output=config or StructuredOutputConfig(),
            settings=settings or ModelSettings(),
        )
        return agent

    async def turn(self, user_input: str | list[Message] = "Where is my order?", **parts: Any) -> ShownTurn:
        """Play a turn of an agent made of these parts."""
        agent, turn = self.agent(**parts), ShownTurn()
        with record(agent) as recording:
            try:
                async with agent.astream(user_input) as stream:
                    async for item in stream:
                        if isinstance(item, AgentResult):
                            turn.ended = item
                        else:
                            turn.chunks.append(item)
            except Exception as error:
                turn.error = error
        self.traces += recording.traces
        return turn


async def close(events: object) -> None:
    """Close an iterator of events, where it can be closed."""
    aclose: Any = getattr(events, "aclose", None)
    if aclose is not None:
        await aclose()
