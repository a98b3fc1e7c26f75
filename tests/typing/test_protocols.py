"""Plain classes and functions of a user are what the protocols want, and nothing is inherited."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

import pytest

from finalturn import (
    Agent,
    Capabilities,
    Denial,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    Provider,
    SessionHistory,
    SessionStore,
    ShouldFinalize,
    StreamHandler,
    StreamingProvider,
    StructuredOutputConfig,
    TextDelta,
    ToolCall,
    ToolGate,
    tool,
)
from finalturn.providers import Scripted
from tests.typing._models import ANSWER, TICKET, Ticket, scripted

pytestmark = pytest.mark.anyio


class Whole:
    def complete(self, request: ModelRequest) -> ModelResponse:
        return ModelResponse("whole")


class WholeAsync:
    async def complete(self, request: ModelRequest) -> ModelResponse:
        return ModelResponse("whole")


class WholeNamed:
    """Its parameter has another name, and it says what it can do."""

    capabilities = Capabilities(images=True)

    def complete(self, asked: ModelRequest) -> ModelResponse:
        return ModelResponse("whole")


class Streaming:
    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield TextDelta("streamed")
        yield ModelEnd()


class StreamingSync:
    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        yield TextDelta("streamed")
        yield ModelEnd()


class StreamingList:
    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        events: list[ModelEvent] = [TextDelta("streamed"), ModelEnd()]
        return iter(events)


async def test_providers() -> None:
    wholes: list[Provider] = [Whole(), WholeAsync(), WholeNamed(), scripted().whole_reply()]
    streams: list[StreamingProvider] = [Streaming(), StreamingSync(), StreamingList(), scripted()]
    for whole in wholes[:3]:
        assert isinstance(whole, Provider)
        assert (await Agent(whole).arun("go")).content == "whole"
    for stream in streams[:3]:
        assert isinstance(stream, StreamingProvider)
        assert (await Agent(stream).arun("go")).content == "streamed"


class Gate:
    def check(self, call: ToolCall, messages: Sequence[Message]) -> Denial | None:
        return Denial("not today") if call.name == "forbidden" else None


class GateAsync:
    async def check(self, call: ToolCall, messages: Sequence[Message]) -> Denial | None:
        return None


@tool
def forbidden() -> str:
    """Is forbidden."""
    raise AssertionError("it ran")


async def test_gates() -> None:
    gates: list[ToolGate] = [GateAsync(), Gate()]
    agent = Agent(Scripted(Scripted.call("forbidden"), "done"), tools=[forbidden], gates=gates)
    result = await agent.arun("go")
    assert any("not today" in message.content for message in result.messages)


class Store:
    def __init__(self) -> None:
        self.kept: dict[str, SessionHistory] = {}

    def load(self, session: str) -> SessionHistory:
        return self.kept.get(session, SessionHistory())

    def append(self, session: str, messages: Sequence[Message], version: int) -> None:
        before = self.load(session).messages
        self.kept[session] = SessionHistory((*before, *messages), version + 1)


class StoreAsync:
    def __init__(self) -> None:
        self.store = Store()

    async def load(self, session: str) -> SessionHistory:
        return self.store.load(session)

    async def append(self, session: str, messages: Sequence[Message], version: int) -> None:
        self.store.append(session, messages, version)


async def test_stores() -> None:
    stores: list[SessionStore] = [Store(), StoreAsync()]
    for store in stores:
        agent = Agent(scripted("hello"), sessions=store)
        await agent.arun("one", session="s")
        await agent.arun("two", session="s")
    assert isinstance(stores[0], Store)
    assert stores[0].load("s").version == 2


def finalize(messages: Sequence[Message], last_response_text: str) -> bool:
    return bool(messages)


async def finalize_async(messages: Sequence[Message], text: str) -> bool:
    return bool(messages)


class Finalize:
    def __call__(self, messages: Sequence[Message], text: str) -> bool:
        return bool(messages)


async def test_predicates() -> None:
    predicates: list[ShouldFinalize] = [finalize, finalize_async, Finalize(), lambda messages, text: True]
    for predicate in predicates:
        config = StructuredOutputConfig(final_turn_only=True, should_finalize=predicate)
        agent = Agent(Scripted("hm", ANSWER), structured_output=config, response_format=Ticket)
        assert (await agent.arun("go")).parsed == TICKET


async def handle(text: str) -> None:
    print(text)


class Handler:
    def __call__(self, text: str) -> int:
        return print(text) or 0


async def test_handlers(capsys: pytest.CaptureFixture[str]) -> None:
    handlers: list[StreamHandler] = [print, handle, Handler(), list[str]().append, lambda text: None]
    for handler in handlers:
        await Agent(scripted("hello")).arun("go", stream_handler=handler)
    assert capsys.readouterr().out == "hello\n" * 3
    Agent(scripted("hello")).run("go", stream_handler=print)
    assert capsys.readouterr().out == "hello\n"
