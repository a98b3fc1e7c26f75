"""The commands and their options."""

from __future__ import annotations

import sys
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
    from finalturn.cli.contract import run_list

    raise typer.Exit(run_list(sys.stdout))


@contract.command("show")
def show_clause(
    clause: Annotated[str, typer.Argument(metavar="ID", help="The clause, such as synthesis-never-streams.")],
) -> None:
    """Show all of a clause."""
    from finalturn.cli.contract import run_show

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
    from finalturn.cli.contract import run_verify

    raise typer.Exit(run_verify(traces, sys.stdout, sys.stderr, everything=everything))


@app.command()
def demo(
    no_model: Annotated[bool, typer.Option("--no-model", help="Leave out the local model.")] = False,
) -> None:
    """Play a support desk on a small real model, and then each path of the contract.

    The exit code is 1 when a path of the contract is not as promised.
    """
    from finalturn.cli.demo import run_demo
    from finalturn.cli.view import open_stage

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
    from finalturn.cli.chat import Options, run_chat

    options = Options(
        model=model,
        base_url=base_url,
        key_variable=api_key_env,
        schema=schema,
        native_schema=native_schema,
        system=system,
        hold=not no_hold,
    )
    raise typer.Exit(run_chat(options, " ".join(text) if text else None))
