"""botocore, which comes with the extra ``bedrock``: loaded where it is used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from finalturn._core.errors import ConfigurationError


def need_botocore() -> None:
    """Make sure that it is there, without loading it.

    Raises:
        ConfigurationError: it is not installed.
    """
    if find_spec("botocore") is None:
        raise _missing()


def part_of_botocore(name: str) -> Any:
    """A module of it, which has no types.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        return import_module(f"botocore.{name}")
    except ModuleNotFoundError as error:
        if error.name != "botocore":
            raise
        raise _missing() from None


def _missing() -> ConfigurationError:
    return ConfigurationError(
        "Bedrock needs botocore, which is not installed: pip install finalturn[bedrock]"
    )
