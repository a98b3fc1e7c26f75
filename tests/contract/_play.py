"""Plays a turn through one driver, with one kind of provider, and tells what its surface showed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, TypeAdapter

from finalturn import (
    Agent,
    Capabilities,
    Limits,
    Message,
    ModelSettings,
    Role,
    StructuredOutputConfig,
    TurnObserver,
)
from finalturn._core.protocols import ContextGate, Provider, SessionStore, StreamingProvider, ToolGate
from finalturn._tools import Tool
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS, together
from tests.contract._http_drivers import HTTP_DRIVERS, together_over_http
from tests.contract._leave import Leave
from tests.contract._model import Model, ScriptedModel, in_memory, served
from tests.contract._observed import Observed

Format = type[BaseModel] | TypeAdapter[Any] | Mapping[str, Any] | None

SCRIPTED_KINDS: dict[str, Callable[[Scripted], Provider | StreamingProvider]] = {
    "streaming": lambda script: script,
    "whole-reply": lambda script: script.whole_reply(),
    "sync-whole-reply": lambda script: script.whole_reply(sync=True),
    "sync-stream": lambda script: script.sync_stream(),
}
KINDS = (*SCRIPTED_KINDS, "http")

WITH_EVERY_KIND = frozenset({"astream-asyncio", "arun-asyncio"})
"""The drivers with which everything is played for each kind of provider: one that shows chunks, and one
that shows text. With the others everything is played for the first kind, and a part of it for each other."""


@dataclass(frozen=True)
class Play:
    """A driver and a kind of provider.

    Attributes:
        driver: a name in `CHUNK_DRIVERS`, `TOKEN_DRIVERS` or `HTTP_DRIVERS`.
        kind: a name in `KINDS`.
        sockets: over HTTP, whether the client and the server talk through a socket. Without one, the
            provider, its HTTP client and every byte of the answers are the same.
    """

    driver: str
    kind: str
    sockets: bool = field(default=True, compare=False)

    @property
    def streams(self) -> bool:
        """Whether the provider gives text in the pieces that the script has."""
        return "whole" not in self.kind

    @property
    def over_http(self) -> bool:
        """Whether what is shown is shown to a client of a served agent."""
        return self.driver in HTTP_DRIVERS

    @property
    def waits_in_a_thread(self) -> bool:
        """Whether a function in a script cannot be awaited, but has to wait itself."""
        return self.kind not in ("streaming", "whole-reply")

    @property
    def over_sockets(self) -> Play:
        """The same, with a network where there is one: it can wait in the middle of an answer."""
        return replace(self, sockets=True)

    def __call__(
        self, *calls: Any, capabilities: Capabilities | None = None, retries: int = 0, **parts: Any
    ) -> Observed:
        """Play one turn; ``calls`` is what the model does, and the rest is that of `turn`."""
        with self.model(*calls, capabilities=capabilities, retries=retries) as model:
            return self.turn(model, **parts)

    def turn(
        self,
        model: Model,
        *,
        given: str | list[Message] = "Where is my order?",
        sessions: SessionStore | None = None,
        session: str = "s",
        leave: Leave | None = None,
        deps: Any = None,
        **parts: Any,
    ) -> Observed:
        """Play one turn of an agent made of these parts; see `agent_of`.

        A client sends what its user says now. What is given before that is in the session already.
        """
        store = InMemorySessions() if sessions is None else sessions
        if self.over_http and isinstance(given, list):
            given = _now(given, store, session)
        observed = self.observed()
        call = {"session": session} if deps is None else self._call_with(deps, session)
        self.drive(agent_of(model, sessions=store, **parts), given, observed, leave, **call)
        observed.leaves(model.requests, _saved(store, session))
        return observed

    def _call_with(self, deps: Any, session: str) -> dict[str, Any]:
        # Over HTTP the server makes the id, and tells it.
        run_id = {} if self.over_http else {"run_id": f"run of {session}"}
        return {"session": session, "deps": deps, **run_id}

    def turns(
        self, model: Model, given: Sequence[str], deps: Mapping[str, Any] | None = None, **parts: Any
    ) -> list[Observed]:
        """Play turns of one agent at the same time, each in a session of its own, with deps of its own."""
        store = InMemorySessions()
        agent = agent_of(model, sessions=store, **parts)
        found = [self.observed() for _ in given]
        at_once = together_over_http if self.over_http else together
        at_once(
            self.driver,
            [
                (agent, one, {"session": one} if deps is None else self._call_with(deps[one], one), observed)
                for one, observed in zip(given, found, strict=True)
            ],
        )
        for one, observed in zip(given, found, strict=True):
            observed.leaves([sent for sent in model.requests if one in sent], _saved(store, one))
        return found

    def observed(self) -> Observed:
        """What observes a turn that is driven so."""
        return Observed(self.driver, self.kind, over_http=self.over_http)

    def drive(
        self, agent: Agent[Any, Any], given: Any, observed: Observed, leave: Leave | None = None, **call: Any
    ) -> None:
        """Drive one turn; what it raises is observed."""
        drive = {**CHUNK_DRIVERS, **TOKEN_DRIVERS, **HTTP_DRIVERS}[self.driver]
        observed.run_id = call.get("run_id", "")
        try:
            drive(agent, given, call, observed, leave)
        except Exception as error:
            observed.fails(error)

    @contextmanager
    def model(
        self, *calls: Any, then: Any = None, capabilities: Capabilities | None = None, retries: int = 0
    ) -> Generator[Model]:
        """A scripted model behind this kind of provider."""
        capabilities = capabilities or Capabilities()
        if self.kind != "http":
            script = Scripted(*calls, then=then, capabilities=capabilities)
            yield ScriptedModel(script, SCRIPTED_KINDS[self.kind](script))
        elif self.sockets:
            with served(*calls, then=then, capabilities=capabilities, retries=retries) as model:
                yield model
        else:
            with in_memory(*calls, capabilities=capabilities, retries=retries) as model:
                yield model


def agent_of(
    model: Model,
    *,
    response_format: Format = None,
    config: StructuredOutputConfig | None = None,
    tools: Sequence[Tool[..., Any, Any]] = (),
    gates: Sequence[ToolGate | ContextGate[Any]] = (),
    context: Sequence[Any] = (),
    system_prompt: Any = "",
    sessions: SessionStore | None = None,
    max_iterations: int = 10,
    parallel_tools: bool = True,
    settings: ModelSettings | None = None,
    limits: Limits | None = None,
    observers: Sequence[TurnObserver] = (),
    deps_type: Any = None,
) -> Agent[Any, Any]:
    """An agent on a model."""
    return Agent(
        model.provider,
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
        limits=limits,
        observers=observers,
        deps_type=deps_type,
    )


def _now(given: list[Message], store: SessionStore, session: str) -> list[Message]:
    """Save all but what the user says now."""
    since = len(given)
    while since and given[since - 1].role is Role.USER:
        since -= 1
    if since:
        assert isinstance(store, InMemorySessions)
        store.append(session, given[:since], store.load(session).version)
    return given[since:]


def _saved(store: SessionStore, session: str) -> tuple[Message, ...]:
    return store.load(session).messages if isinstance(store, InMemorySessions) else ()
