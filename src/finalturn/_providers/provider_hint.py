"""Tells providers from other values, and hints in errors what to give instead."""

from __future__ import annotations

import re

from finalturn._core.described import described
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.type_guards import is_array

__all__ = ["is_provider", "not_a_provider"]

# How `infer_provider` is told of a model. Nothing else of a text is repeated: it may be a key.
_MODEL_NAME = re.compile(r"[a-z][a-z-]{1,20}:[A-Za-z0-9][A-Za-z0-9._:/@-]{0,60}")
# What to write instead of a client of a package. Those of vendors with a profile are named there.
_CLIENTS = {
    "anthropic": 'Anthropic("claude-sonnet-5")',
    "boto3": 'Bedrock("...")',
    "botocore": 'Bedrock("...")',
    "google": 'Gemini("gemini-2.5-flash")',
    "openai": 'OpenAIChat("gpt-5-mini")',
}


def is_provider(value: object) -> bool:
    """Whether it can be asked: an object with one of the two methods. An agent has another `stream`."""
    if isinstance(value, type) or _is_agent(value):
        return False
    return isinstance(value, (Provider, StreamingProvider))


def not_a_provider(value: object) -> str:
    """What it is, and what to give instead: the end of an error's text."""
    if isinstance(value, str):
        name = value if _MODEL_NAME.fullmatch(value) else "openai:gpt-5-mini"
        return f'a str; make one from the name of a model: infer_provider("{name}")'
    if isinstance(value, type):
        return f"{described(value)}; make one of it: {value.__name__}(...)"
    if is_array(value):
        return f"{described(value)}; put several providers into one: Fallback(first, second)"
    if _is_agent(value):
        return f"{described(value)}, which asks a provider itself; call its run() in a tool"
    package = type(value).__module__.partition(".")[0]
    instead = _instead_of_client(package)
    if instead is None:
        return described(value)
    return (
        f"{described(value)} of the package {package}; the providers of finalturn need no such"
        f" client: {instead} of finalturn.providers takes api_key and base_url"
    )


def _instead_of_client(package: str) -> str | None:
    """What to write instead of an object of a vendor's package; ``None`` where it is no vendor's."""
    from finalturn._providers.openai_chat.profiles import PROFILES

    if package in _CLIENTS:
        return _CLIENTS[package]
    named = (name for name, profile in PROFILES.items() if profile.client_package == package)
    return next((f'infer_provider("{name}:...")' for name in named), None)


def _is_agent(value: object) -> bool:
    # It stands above this module, and is told by what only an agent has.
    return hasattr(value, "arun") and hasattr(value, "astream")
