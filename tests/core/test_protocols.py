"""The protocols: any object with the right methods will do, under whatever parameter names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from typing_extensions import get_protocol_members, is_protocol

from finalturn._core import protocols
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import ModelEnd, ModelEvent, ModelRequest, ModelResponse
from finalturn._core.protocols import (
    ContextGate,
    ContextPredicate,
    Denial,
    Provider,
    SessionCatalog,
    SessionHistory,
    SessionStore,
    ShouldFinalize,
    StreamHandler,
    StreamingProvider,
    ToolGate,
)
from finalturn._core.run_context import RunContext

MEMBERS: dict[type, set[str]] = {
    Provider: {"complete"},
    StreamingProvider: {"stream"},
    ShouldFinalize: {"__call__"},
    StreamHandler: {"__call__"},
    ToolGate: {"check"},
    ContextGate: {"check"},
    ContextPredicate: {"__call__"},
    SessionStore: {"load", "append"},
    SessionCatalog: {"list_sessions", "delete"},
}


class PlainProvider:
    def complete(self, asked: ModelRequest) -> ModelResponse:
        return ModelResponse("hi")


class PlainStream:
    def stream(self, asked: ModelRequest) -> Iterator[ModelEvent]:
        yield ModelEnd()


class PlainGate:
    async def check(self, this: ToolCall, so_far: Sequence[Message]) -> Denial | None:
        return None


class PlainContextGate:
    def check(self, ctx: RunContext[int], this: ToolCall, so_far: Sequence[Message]) -> Denial | None:
        return None


class PlainStore:
    async def load(self, key: str) -> SessionHistory:
        return SessionHistory()

    def append(self, key: str, added: Sequence[Message], seen: int) -> None:
        return None


async def context_predicate(ctx: RunContext[int], so_far: Sequence[Message], last: str) -> bool:
    return True


def plain_predicate(so_far: Sequence[Message], last: str) -> bool:
    return True


PROVIDER: Provider = PlainProvider()
STREAM: StreamingProvider = PlainStream()
GATE: ToolGate = PlainGate()
CONTEXT_GATE: ContextGate[int] = PlainContextGate()
CONTEXT_PREDICATE: ContextPredicate[int] = context_predicate
STORE: SessionStore = PlainStore()
PREDICATE: ShouldFinalize = plain_predicate
# Parameters are positional-only, so that a built-in function will do.
_PIECES: list[str] = []
HANDLERS: list[StreamHandler] = [print, _PIECES.append, str, lambda text: None]


def test_every_public_protocol_is_tested_here() -> None:
    found = {getattr(protocols, name) for name in protocols.__all__}
    assert {one for one in found if isinstance(one, type) and is_protocol(one)} == set(MEMBERS)


@pytest.mark.parametrize("protocol", MEMBERS, ids=lambda protocol: protocol.__name__)
def test_nothing_but_its_methods_is_a_member(protocol: Any) -> None:
    """A marker of stability that became one would turn away everybody's own objects."""
    assert get_protocol_members(protocol) == MEMBERS[protocol]


@pytest.mark.parametrize(
    ("thing", "protocol"),
    [
        (PROVIDER, Provider),
        (STREAM, StreamingProvider),
        (GATE, ToolGate),
        (STORE, SessionStore),
        (PREDICATE, ShouldFinalize),
        *((handler, StreamHandler) for handler in HANDLERS),
    ],
)
def test_a_plain_object_with_the_methods_satisfies_its_protocol(thing: object, protocol: type) -> None:
    assert isinstance(thing, protocol)


@pytest.mark.parametrize("protocol", MEMBERS, ids=lambda protocol: protocol.__name__)
def test_another_object_is_none(protocol: type) -> None:
    assert not isinstance(object(), protocol)
    assert not isinstance("text", protocol)


def test_an_object_that_lacks_a_method_is_no_store() -> None:
    class Reader:
        def load(self, key: str) -> SessionHistory:
            return SessionHistory()

    assert not isinstance(Reader(), SessionStore)


@pytest.mark.parametrize("protocol", MEMBERS, ids=lambda protocol: protocol.__name__)
def test_parameters_are_positional_only(protocol: type) -> None:
    for member in MEMBERS[protocol]:
        parameters = inspect.signature(getattr(protocol, member)).parameters.values()
        assert {one.kind for one in parameters} == {inspect.Parameter.POSITIONAL_ONLY}


def test_a_denial_is_of_the_policy_unless_it_says_otherwise() -> None:
    assert (Denial("no").reason, Denial("no").kind) == ("no", "policy")


def test_a_session_that_was_never_written_to_is_empty() -> None:
    assert SessionHistory() == SessionHistory((), 0)
