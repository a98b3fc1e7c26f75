"""Finds a provider's API key: the argument, or an environment variable."""

from __future__ import annotations

import os

from finalturn._core.errors import ConfigurationError
from finalturn._providers.http.arguments import expect_text
from finalturn._providers.http.client import HttpClient


def find_key(
    api_key: str | None,
    variable: str | None,
    client: HttpClient | None,
    *,
    needed: bool,
    header: str | None = None,
) -> str | None:
    """The key to send; ``None`` to send none.

    Args:
        api_key: the user's own.
        variable: the environment variable to read otherwise.
        client: the user's own client, which may authenticate by itself.
        needed: without a key, nothing can be asked.
        header: the header that the key is sent in, where it is no bearer token.

    Raises:
        ConfigurationError: there is none although one is needed, or it is empty or cannot be sent.
    """
    source, key = "api_key", ""
    if api_key is not None:
        expect_text("api_key", api_key)
        # A line break at its end comes from the file that it was read from.
        key = api_key.strip()
        if not key:
            instead = "send none" if variable is None else f"have it read from {variable}"
            raise ConfigurationError(f"api_key is empty; give a key, or leave it out to {instead}")
    elif variable is not None and not _authenticates(client, header):
        source, key = variable, os.environ.get(variable, "").strip()
        if not key and needed:
            raise ConfigurationError(
                f"there is no key: set the environment variable {variable}, or give api_key"
            )
    if not all("!" <= character <= "~" for character in key):
        raise ConfigurationError(
            f"{source} holds a character that no key has, such as a space or a line break"
        )
    return key or None


def find_address(variable: str) -> str:
    """The server's address.

    Args:
        variable: the environment variable that holds it.

    Raises:
        ConfigurationError: there is none.
    """
    address = os.environ.get(variable, "").strip()
    if not address:
        raise ConfigurationError(
            f"there is no address: set the environment variable {variable}, or give base_url"
        )
    return address


def _authenticates(client: HttpClient | None, header: str | None) -> bool:
    if client is None:
        return False
    if "authorization" in client.headers or getattr(client, "auth", None) is not None:
        return True
    return header is not None and header in client.headers
