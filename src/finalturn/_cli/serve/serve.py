"""Puts a server together from the options of ``finalturn serve``, and runs it."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from finalturn import ConfigurationError, FinalturnError
from finalturn._cli.serve.connection import Patience
from finalturn._cli.serve.descriptors import connections_for, raise_descriptors
from finalturn._cli.serve.listen import address_of, is_loopback, listen
from finalturn._cli.serve.load import load_agent, load_function
from finalturn._cli.serve.server import Limits, Server, ServerHooks, settings
from finalturn._cli.serve.store import storage_for
from finalturn._serve.access.origins import check_cors_headers, check_origins
from finalturn._serve.logs.logs import LogFormat, log_to
from finalturn._serve.served import Served
from finalturn.serve import ApiKeys, ServeConfig, create_app

__all__ = ["ServeOptions", "serve"]

_ENDED, _WRONG = 0, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of ``finalturn serve``.

    Attributes:
        agent: what is served, ``module:name``.
        host: where to listen.
        port: where to listen; 0 for a free one.
        keys: the key file; ``None`` for a server that asks nobody for a key.
        deps: gives what a turn is run with, ``module:name``; ``None`` for nothing.
        agent_for: gives the agent of each request, ``module:name``; ``None`` for ``agent``.
        sessions: where conversations are kept; see `storage_for`.
        cors_origins: of the web pages that may use the server.
        cors_headers: that those pages may send.
        log_format: what the log looks like; ``None`` for text on a terminal, and else JSON.
        config: limits.
    """

    agent: str
    host: str = "127.0.0.1"
    port: int = 8000
    keys: str | None = None
    deps: str | None = None
    agent_for: str | None = None
    sessions: str | None = None
    cors_origins: tuple[str, ...] = ()
    cors_headers: tuple[str, ...] = ("*",)
    log_format: LogFormat | None = None
    config: ServeConfig = ServeConfig()  # noqa: RUF009  # immutable


def serve(options: ServeOptions, out: TextIO) -> int:
    """Serve until a signal comes. The exit code: 2 for a server that cannot be started.

    Args:
        options: how.
        out: gets the address, once it can be opened.
    """
    # First of all, so that the module of the agent can have it otherwise.
    log_to(sys.stderr, options.log_format or ("text" if sys.stderr.isatty() else "json"))
    try:
        return _serve(options, out)
    except FinalturnError as error:
        sys.stderr.write(f"error: {' '.join(str(error).split())}\n")
        return _WRONG


def _serve(options: ServeOptions, out: TextIO) -> int:
    if options.keys is None and not is_loopback(options.host):
        raise ConfigurationError(
            f"--host {options.host}: without --keys, all who can reach this machine could use the agent; make"
            " a key with 'finalturn keys new NAME', and give --keys keys.txt"
        )
    with _naming(f"--keys {options.keys}"):
        keys = None if options.keys is None else ApiKeys.from_file(options.keys)
    agent = load_agent(options.agent)
    with _naming("--deps"):
        deps = None if options.deps is None else load_function(options.deps)
    with _naming("--agent-for"):
        agent_for = None if options.agent_for is None else load_function(options.agent_for)
    with _naming("--sessions"):
        storage = storage_for(agent, options.sessions)
    with _naming("--cors-origin"):
        check_origins(options.cors_origins)
    with _naming("--cors-header"):
        check_cors_headers(options.cors_headers)
    # What the functions give is checked against the agent, and each turn again.
    functions: Any = {"deps": deps, "agent_for": agent_for}
    app = create_app(
        storage.agent,
        **functions,
        keys=keys,
        sessions=storage.store,
        config=options.config,
        cors_origins=options.cors_origins,
        cors_headers=options.cors_headers,
    )
    served: Served = app.state.finalturn
    listener = listen(options.host, options.port)

    config = options.config
    limits = Limits(
        connections=connections_for(raise_descriptors(), config.max_connections),
        patience=Patience(config.request_timeout, config.stall_timeout),
        drain=config.drain_timeout,
    )

    async def drain(seconds: float) -> None:
        await served.runs.drain(seconds)

    def ready() -> None:
        print(f"Open {address_of(listener)}", file=out, flush=True)

    with listener:
        hooks = ServerHooks(start=storage.check, ready=ready, drain=drain, stop=storage.close)
        Server(settings(app), hooks, limits).run(sockets=[listener])
    return _ENDED


@contextmanager
def _naming(option: str) -> Generator[None, None, None]:
    """Say which option an error is about."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"{option}: {error}") from None
