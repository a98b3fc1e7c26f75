"""What a scripted server receives, and what it can say beyond a scripted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from finalturn._core.json_text import decode, encode
from finalturn._core.model import ModelResponse
from finalturn._providers.scripted.items import Item, Word
from finalturn._support.keywords import checked_class
from finalturn.stability import beta

__all__ = ["Drop", "HttpAnswer", "ReceivedRequest", "ServerAnswer", "ServerCall"]


@beta(since="0.1.0")
@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as a `ScriptedServer` got it.

    Attributes:
        method: the HTTP method, such as ``"POST"``.
        path: the path, with its query.
        headers: by lower-case name; of a repeated header, the last.
        body: the raw body.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's JSON value.

        Raises:
            ValueError: it is not JSON.
        """
        return decode(self.body)


@beta(since="0.1.0")
@checked_class
@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An item of a `ScriptedServer`: a whole HTTP response, such as an error.

    ``HttpAnswer(429, {"error": {"message": "slow down"}}, {"retry-after": "1"})``

    Attributes:
        status: the HTTP status code, such as 429.
        body: its bytes or text, or a value that is sent as JSON.
        headers: beside ``content-length``; the content type is JSON when they do not say.
    """

    status: int
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def content(self) -> bytes:
        """The body as it is sent: its bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else encode(self.body)


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is closed in the middle of the response."""


ServerWord: TypeAlias = Word | bytes | HttpAnswer | Drop
ServerItem: TypeAlias = Item | bytes | HttpAnswer | Drop

ServerAnswer: TypeAlias = ServerWord | Sequence[ServerItem] | ModelResponse
"""What a request is answered with."""

ServerCall: TypeAlias = ServerAnswer | Callable[[ReceivedRequest], ServerAnswer]
"""An answer, or a function from the request to its answer."""
