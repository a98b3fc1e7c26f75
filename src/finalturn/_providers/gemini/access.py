"""The path of a Gemini model in an address, and the API key to ask it with."""

from __future__ import annotations

import os
from urllib.parse import quote

from finalturn._core.errors import ConfigurationError
from finalturn._providers.gemini.vertex import Vertex
from finalturn._providers.http.arguments import checked_name
from finalturn._providers.http.client import HttpClient
from finalturn._providers.http.keys import find_key

BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
KEY_HEADER = "x-goog-api-key"
# The vendor's guide names the first, and its own clients know both.
KEY_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")


def model_path(model: str, *, on_vertex: bool) -> str:
    """The path of a model behind the base address, from its name or its path.

    Raises:
        ConfigurationError: there is no name in it.
    """
    checked_name("model", model.rpartition("/")[2], "give the model's name, such as gemini-3-flash")
    kinds = ("publishers/", "endpoints/", "models/") if on_vertex else ("models/", "tunedModels/")
    if not model.startswith(kinds):
        publisher, _, name = model.rpartition("/")
        model = f"publishers/{publisher or 'google'}/models/{name}" if on_vertex else f"models/{model}"
    return "/" + quote(model, safe="/@:.-_")


def find_access(
    api_key: str | None, base_url: str | None, vertex: Vertex | None, client: HttpClient | None
) -> str | None:
    """The key to send; ``None`` to send none: there is a token, or nobody asks for one.

    Raises:
        ConfigurationError: there is no key or token although one is needed, or it cannot be sent.
    """
    if vertex is not None and vertex.token is not None:
        if api_key is not None:
            raise ConfigurationError("give api_key, or the token of Vertex, and not both")
        return None
    if api_key is not None or base_url is not None or _authenticates(client):
        # Where one is given, the variable is only told of.
        variable = None if api_key is None or base_url is not None else KEY_VARIABLES[0]
        return find_key(api_key, variable, client, needed=False)
    if vertex is not None and vertex.project is not None:
        raise ConfigurationError(
            "there is no token: give Vertex(token=...), api_key, or an http_client that authenticates"
        )
    set_variables = [variable for variable in KEY_VARIABLES if os.environ.get(variable, "").strip()]
    return find_key(None, [*set_variables, *KEY_VARIABLES][0], client, needed=True)


def _authenticates(client: HttpClient | None) -> bool:
    if client is None:
        return False
    headers = client.headers
    return KEY_HEADER in headers or "authorization" in headers or getattr(client, "auth", None) is not None
