"""Reads the body of a request, which must be JSON within a limit of bytes."""

from __future__ import annotations

import json
from email.message import Message as Headers
from typing import Any, NoReturn

from starlette.requests import Request
from starlette.types import Message

from finalturn._core import json_text
from finalturn._serve.problems.problem import Problem

__all__ = ["check_json", "limited"]


def check_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON.

    A web page of another origin can send such a body without asking the server first.

    Raises:
        Problem: it says something else, or nothing.
    """
    content_type = request.headers.get("content-type")
    whole = "transfer-encoding" not in request.headers
    if content_type is None and whole and request.headers.get("content-length", "0") == "0":
        # There is no body at all: that is what is wrong.
        return
    headers = Headers()
    headers["content-type"] = content_type or "application/octet-stream"
    kind = headers.get_content_type()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem("unsupported_media_type", "Send JSON, with Content-Type: application/json.")


def limited(request: Request, most: int) -> Request:
    """The same request, whose body cannot be read beyond a number of bytes.

    Args:
        request: nothing of its body has been read.
        most: bytes.

    Raises:
        Problem: the body says that it is longer. Reading one that turns out to be raises it too.
    """
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > most):
        raise _too_large(most)
    read = 0

    async def receive() -> Message:
        nonlocal read
        message = await request.receive()
        if message["type"] == "http.request":
            read += len(message.get("body", b""))
            if read > most:
                raise _too_large(most)
        return message

    return _StrictRequest(request.scope, receive)


class _StrictRequest(Request):
    async def json(self) -> Any:
        """The body, as JSON types: no NaN, no infinity, and not nested too deeply."""
        value = json.loads(await self.body(), parse_constant=_refuse)
        json_text.check(value)
        return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _too_large(most: int) -> Problem:
    return Problem("body_too_large", f"The body is larger than the {most} bytes that this server takes.")
