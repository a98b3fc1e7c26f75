"""The command-line options that are fields of `ServeConfig`."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import Annotated, Any

import typer

from finalturn import ConfigurationError
from finalturn.serve import ServeConfig

__all__ = ["config_of", "options"]


def options() -> list[inspect.Parameter]:
    """One keyword parameter for each field, as typer reads them: its name, type, default and meaning."""
    meaning = _meanings(ServeConfig.__doc__ or "")
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=Annotated[
                int if field.type == "int" else float,
                typer.Option(help=meaning.get(field.name), rich_help_panel="Limits: bytes and seconds"),
            ],
        )
        for field in fields(ServeConfig)
    ]


def config_of(arguments: dict[str, Any]) -> ServeConfig:
    """The limits, taken out of what the command line gave.

    Raises:
        BadParameter: one of them cannot be; it is named as on the command line.
    """
    limits = {field.name: arguments.pop(field.name) for field in fields(ServeConfig)}
    for name, value in limits.items():
        try:
            ServeConfig(**{name: value})
        except ConfigurationError as error:
            problem = str(error).removeprefix(f"ServeConfig.{name} ")
            raise typer.BadParameter(problem, param_hint=f"--{name.replace('_', '-')}") from None
    return ServeConfig(**limits)


def _meanings(doc: str) -> dict[str, str]:
    """What a docstring says of each attribute, as sentences."""
    meanings: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(doc).partition("Attributes:\n")[2].split("\n\n")[0].split("\n"):
        if entry := re.fullmatch(r" {4}(\w+): (.*)", line):
            name, text = entry.groups()
            meanings[name] = text
        elif name:
            meanings[name] += f" {line.strip()}"
    return {name: text[:1].upper() + text[1:] for name, text in meanings.items()}
