"""The options of ``finalturn serve``. Those that are limits are read from `ServeConfig`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Optional

import typer

from finalturn._cli.serve.serve import ServeOptions, serve
from finalturn._cli.serve.settings import config_of, options

__all__ = ["run_serve"]


_app = typer.Typer(
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_serve(arguments: Sequence[str]) -> None:
    """Run the command; it ends by ``SystemExit``.

    Args:
        arguments: what stands behind the command's name.
    """
    _app(list(arguments), prog_name="finalturn serve")


def _with_limits(command: Callable[..., None]) -> Callable[..., None]:
    """The same command, with the limits as parameters of their own."""

    def with_limits(**arguments: Any) -> None:
        command(**arguments)

    signature = inspect.signature(command, eval_str=True)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    parameters = [*own, *options()]
    with_limits.__doc__ = command.__doc__
    with_limits.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(with_limits)["__signature__"] = signature.replace(parameters=parameters)
    return with_limits


@_app.command("serve")
@_with_limits
def _serve(
    agent: Annotated[
        str, typer.Argument(metavar="MODULE:AGENT", help="An Agent, or a function that makes one.")
    ],
    host: Annotated[
        str, typer.Option(help="Where to listen. Any but this machine needs --keys.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for a free one.")] = 8000,
    keys: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="FILE", help="Who may use it: a file that finalturn keys has made."),
    ] = None,
    deps: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="Gives what a turn is run with, of its request and the request's owner; for agents with a"
            " deps_type.",
        ),
    ] = None,
    agent_for: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="Gives the agent of each request, of the request and its owner, in place of AGENT.",
        ),
    ] = None,
    sessions: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="URL",
            envvar="FINALTURN_SESSIONS",
            help="Where conversations are kept: a SQLite file, a URL such as postgresql://HOST/NAME, memory,"
            " or none. By default the agent's own store, or else the file finalturn.db.",
        ),
    ] = None,
    cors_origin: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="ORIGIN", help="A web page that may use it, such as https://app.example.com."),
    ] = None,
    cors_header: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="NAME", help="A header that those pages may send; any, if there is none here."),
    ] = None,
    log_format: Annotated[
        Optional[Literal["json", "text"]],  # noqa: UP045
        typer.Option(help="What the log on standard error looks like. By default text on a terminal."),
    ] = None,
    **limits: Any,
) -> None:
    """Serve an agent over HTTP, with a page to try it on.

    The module is imported from the working directory too. The address is printed once it can be opened.

    The first Ctrl-C, or SIGTERM, lets running turns end; a second Ctrl-C stops at once. The exit code is 0
    after such a stop, and 2 when the server cannot be started.
    """
    serve_options = ServeOptions(
        agent=agent,
        host=host,
        port=port,
        keys=keys,
        deps=deps,
        agent_for=agent_for,
        sessions=sessions,
        cors_origins=tuple(cors_origin or ()),
        cors_headers=tuple(cors_header or ("*",)),
        log_format=log_format,
        config=config_of(limits),
    )
    raise typer.Exit(serve(serve_options, sys.stdout))
