"""Declares the commands and their options."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Annotated, Optional

import typer

__all__ = ["app"]

app = typer.Typer(
    help="Chat agents that stream prose and end in a typed, validated object.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from finalturn import __version__

        typer.echo(f"finalturn {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version, and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None: ...


contract = typer.Typer(help="The contract: what is promised, and whether it is kept.", no_args_is_help=True)
app.add_typer(contract, name="contract")


@contract.command("list")
def list_clauses() -> None:
    """List every clause: its id, level, version and statement."""
    from finalturn._cli.contract import run_list

    raise typer.Exit(run_list(sys.stdout))


@contract.command("show")
def show_clause(
    clause: Annotated[str, typer.Argument(metavar="ID", help="The clause, such as synthesis-never-streams.")],
) -> None:
    """Show all of a clause."""
    from finalturn._cli.contract import run_show

    raise typer.Exit(run_show(clause, sys.stdout, sys.stderr))


@contract.command("verify")
def verify_traces(
    traces: Annotated[list[str], typer.Argument(metavar="TRACE", help="Files that a recording wrote.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Name what is upheld, and what cannot be decided, too.")
    ] = False,
) -> None:
    """Check recorded turns against the contract.

    Record them with finalturn.testing.record. Each violation is a line: the file and its line, the clause,
    and what was expected. The exit code is 1 when a clause is violated, and 2 when a file cannot be read.
    """
    from finalturn._cli.contract import run_verify

    raise typer.Exit(run_verify(traces, sys.stdout, sys.stderr, everything=everything))


sessions = typer.Typer(help="Sessions in a database: list, move and upgrade them.", no_args_is_help=True)
app.add_typer(sessions, name="sessions")

_Database = Annotated[
    str,
    typer.Option(
        "--sessions",
        metavar="URL",
        envvar="FINALTURN_SESSIONS",
        help="A SQLite file, or a URL: sqlite:///file, postgresql://user:password@host/name.",
    ),
]
_Prefix = Annotated[str, typer.Option(help="Only sessions whose ids start with it.")]


@sessions.command("list")
def list_sessions(database: _Database = "finalturn.db", prefix: _Prefix = "") -> None:
    """List every session: its id, how many turns it has, and when the last was saved."""
    from finalturn._cli.sessions import run_list

    raise typer.Exit(run_list(database, sys.stdout, sys.stderr, prefix=prefix))


@sessions.command("export")
def export_sessions(database: _Database = "finalturn.db", prefix: _Prefix = "") -> None:
    """Print every turn as a line of JSON."""
    from finalturn._cli.sessions import run_export

    raise typer.Exit(run_export(database, sys.stdout, sys.stderr, prefix=prefix))


@sessions.command("import")
def import_sessions(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export has printed, or - for stdin.")],
    database: _Database = "finalturn.db",
) -> None:
    """Take in what export has printed. Each session goes in whole or not at all.

    No session is overwritten. The exit code is 1 when something was not imported, and 2 when the file or the
    database cannot be used.
    """
    from finalturn._cli.sessions import run_import

    raise typer.Exit(run_import(database, file, sys.stdout, sys.stderr))


@sessions.command("migrate")
def migrate_sessions(database: _Database = "finalturn.db") -> None:
    """Make the tables, or bring them up to date. Whatever else uses the database does so too."""
    from finalturn._cli.sessions import run_migrate

    raise typer.Exit(run_migrate(database, sys.stdout, sys.stderr))


@app.command()
def demo(
    no_model: Annotated[bool, typer.Option("--no-model", help="Leave out the local model.")] = False,
) -> None:
    """Play a support desk on a small real model, and then each path of the contract.

    The exit code is 1 when a path of the contract is not as promised.
    """
    from finalturn._cli.demo import run_demo
    from finalturn._cli.view import open_stage

    raise typer.Exit(run_demo(open_stage(sys.stdout), with_model=not no_model))


@app.command()
def chat(
    model: Annotated[str, typer.Option(help="The model's name, as the server knows it.")],
    text: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(help="What to say. Without it: standard input, or a conversation on a terminal."),
    ] = None,
    base_url: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Where the server is, such as http://127.0.0.1:8080/v1. By default, OpenAI's."),
    ] = None,
    api_key_env: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="The environment variable that holds the key."),
    ] = None,
    schema: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="MODULE:NAME", help="What each answer ends in, such as tickets:Ticket."),
    ] = None,
    native_schema: Annotated[
        bool, typer.Option("--native-schema", help="The server itself can follow a JSON Schema.")
    ] = False,
    system: Annotated[str, typer.Option(help="The system prompt.")] = "",
    no_hold: Annotated[
        bool, typer.Option("--no-hold", help="Stream JSON too, and turn it into the object afterwards.")
    ] = False,
) -> None:
    """Talk to any server that speaks chat completions.

    On a terminal it is a conversation: Ctrl-C stops an answer, Ctrl-D or /quit ends it. With a text, or in
    a pipe, it answers once: standard output gets the prose and then, with --schema, one line of JSON. The
    exit code is 1 when the model failed or gave no valid object, and 2 when the command is wrong.
    """
    from finalturn._cli.chat import ChatOptions, run_chat

    options = ChatOptions(
        model=model,
        base_url=base_url,
        key_variable=api_key_env,
        schema=schema,
        native_schema=native_schema,
        system=system,
        hold=not no_hold,
    )
    raise typer.Exit(run_chat(options, " ".join(text) if text else None))


keys = typer.Typer(help="The keys of those who may use a server.", no_args_is_help=True)
app.add_typer(keys, name="keys")

_KeyName = Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is; it owns the sessions.")]
_KeyFile = Annotated[str, typer.Option(metavar="PATH", help="The key file: names and digests.")]


@keys.callback()
def _keys() -> None:
    if find_spec("fastapi") is None:
        typer.echo("Keys need more packages: pip install 'finalturn[serve]'", err=True)
        raise typer.Exit(2)


@keys.command("new")
def new_key(name: _KeyName, file: _KeyFile = "keys.txt") -> None:
    """Make a key, show it once, and add its digest to the file.

    Standard output gets the key alone. A name may have several keys, so that
    one can take the place of another.
    """
    from finalturn._cli.keys import run_new

    raise typer.Exit(run_new(name, file, sys.stdout, sys.stderr))


@keys.command("list")
def list_keys(file: _KeyFile = "keys.txt") -> None:
    """List every key: the first digits of its digest, and its name."""
    from finalturn._cli.keys import run_list

    raise typer.Exit(run_list(file, sys.stdout, sys.stderr))


@keys.command("revoke")
def revoke_key(
    name: _KeyName,
    only: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="DIGITS", help="Of its keys only this one, by the digits that list shows."),
    ] = None,
    file: _KeyFile = "keys.txt",
) -> None:
    """Take the keys of a name out of the file. A server that is running must be restarted."""
    from finalturn._cli.keys import run_revoke

    raise typer.Exit(run_revoke(name, file, sys.stdout, sys.stderr, only=only))


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    options_metavar="[OPTIONS] MODULE:AGENT",
)
def serve(context: typer.Context) -> None:
    """Serve an agent over HTTP, with a page to try it on."""
    if any(find_spec(package) is None for package in ("fastapi", "uvicorn", "sqlalchemy")):
        typer.echo("The server needs more packages: pip install 'finalturn[serve]'", err=True)
        raise typer.Exit(2)
    from finalturn._cli.serve import run_serve

    run_serve(context.args)
