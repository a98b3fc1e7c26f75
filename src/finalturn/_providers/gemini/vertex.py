"""`Vertex`: the address of Gemini models on Vertex AI, and the access token for them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import isawaitable, iscoroutinefunction
from typing import TypeAlias

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._support.keywords import checked_class
from finalturn.stability import NEXT, beta

TokenSource: TypeAlias = Callable[[], str | Awaitable[str]]
"""What gives a token, now or once it is awaited."""

_PLACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]*")
# Of these, the vendor's own client knows that they are no single region.
_MULTI_REGIONS = frozenset({"eu", "us"})
_VERSION = "v1beta1"


@beta(since=NEXT)
@checked_class
@dataclass(frozen=True, slots=True)
class Vertex:
    """A project on Vertex AI, and the token to ask its models with.

    Without a project it is the express mode, which needs nothing but ``api_key`` of the provider.

    Attributes:
        project: the project's id.
        location: a region such as ``"europe-west4"``, ``"us"``, ``"eu"`` or ``"global"``.
        token: an OAuth access token, or what gives one. A function is called before each model call, in
            a thread unless it is asynchronous, and may keep its token for as long as it is valid: such as
            one that refreshes credentials of google-auth. ``None`` where the provider's own
            ``http_client`` authenticates, or its ``api_key`` will do.
    """

    project: str | None = None
    location: str = "global"
    token: str | TokenSource | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, value in (("project", self.project), ("location", self.location)):
            if value is not None and not _PLACE.fullmatch(value):
                raise ConfigurationError(f"the {name} of Vertex is no {name}: {value!r}")
        if isinstance(self.token, str):
            checked(self.token)

    @property
    def base_url(self) -> str:
        """The address before ``/publishers`` or ``/endpoints``."""
        if self.project is None or self.location == "global":
            host = "aiplatform.googleapis.com"
        elif self.location in _MULTI_REGIONS:
            host = f"aiplatform.{self.location}.rep.googleapis.com"
        else:
            host = f"{self.location}-aiplatform.googleapis.com"
        if self.project is None:
            return f"https://{host}/{_VERSION}"
        return f"https://{host}/{_VERSION}/projects/{self.project}/locations/{self.location}"


async def fetch(token: TokenSource) -> str:
    """The token of the moment.

    Raises:
        ProviderError: there is none to be had.
        ConfigurationError: it is none.
    """
    from anyio import to_thread

    try:
        if iscoroutinefunction(token):
            value: object = token()
        else:
            # In a list, as trio wants nothing out of a thread that is still to be awaited.
            [value] = await to_thread.run_sync(lambda: [token()], abandon_on_cancel=True)
        if isawaitable(value):
            value = await value
    except Exception as error:
        problem = "the provider was not asked: its token could not be had"
        raise ProviderError(problem, detail=type(error).__name__) from error
    return checked(value)


def checked(token: object) -> str:
    """A token that can be sent.

    Raises:
        ConfigurationError: it cannot.
    """
    if not isinstance(token, str) or not token or not all("!" <= character <= "~" for character in token):
        raise ConfigurationError("the token of Vertex must be a text without spaces or line breaks")
    return token
