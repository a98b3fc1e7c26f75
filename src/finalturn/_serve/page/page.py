"""The chat page: one HTML document that needs nothing else, and its content security policy.

Its parts are files of this package, to be read and changed as they are. They are put together once, without a
build. The policy allows exactly this style and this script, and requests to the page's own server.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from json import dumps

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from finalturn._core.chunks import StreamEvent, presentation_of
from finalturn._serve.access.authenticate import Authenticate, owner_of
from finalturn._serve.problems.problem import Problem

__all__ = ["ChatPage", "PageRoute"]


# In the order in which they use each other.
_SCRIPTS = ("turn.js", "view.js", "chat.js")


@dataclass(frozen=True, slots=True)
class ChatPage:
    """The page, for one server.

    Attributes:
        title: what it is called.
        sessions: the server keeps conversations; without it, the page keeps its own, until it is closed.
        resume: a turn outlives its connection: it can be resumed, and has to be stopped.
    """

    title: str = "Chat"
    sessions: bool = False
    resume: bool = False

    def response(self, *, locked: bool = False) -> Response:
        """The answer.

        Args:
            locked: the request had no valid key. The same page then asks for it.
        """
        headers = dict(_headers())
        if locked:
            headers["WWW-Authenticate"] = "Bearer"
        return Response(self.html(locked=locked), 401 if locked else 200, headers, "text/html")

    def html(self, *, locked: bool = False) -> str:
        """The document.

        Args:
            locked: the page asks for a key as soon as it is open.
        """
        offers = {"sessions": self.sessions, "resume": self.resume, "locked": locked}
        body = "".join(f" data-{name}" for name, offered in offers.items() if offered)
        title = escape(self.title)
        return (
            _document()
            .replace("<body>", f"<body{body}>", 1)
            .replace("<title>Chat</title>", f"<title>{title}</title>", 1)
            .replace("<h1>Chat</h1>", f"<h1>{title}</h1>", 1)
        )


@cache
def _document() -> str:
    style, script = _style(), _script()
    return (
        _read("chat.html")
        .replace("<style></style>", f"<style>{style}</style>")
        .replace('<script type="module"></script>', f'<script type="module">{script}</script>')
    )


@cache
def _headers() -> dict[str, str]:
    policy = {
        "default-src": "'none'",
        "script-src": _hash(_script()),
        "style-src": _hash(_style()),
        "connect-src": "'self'",
        "img-src": "data:",  # the icon
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",  # no text becomes markup
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _style() -> str:
    return _read("chat.css")


def _script() -> str:
    return "\n".join((_events(), *map(_read, _SCRIPTS)))


def _events() -> str:
    """What each event means, as a constant of the script."""
    events = {event: presentation_of(event) for event in StreamEvent}
    kinds = {event: {"kind": shown.kind, "label": shown.label} for event, shown in events.items()}
    return f"const EVENTS = {dumps(kinds)};"


def _read(name: str) -> str:
    return files("finalturn._serve.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class PageRoute:
    """``GET /``: everybody gets the page, since it holds no secret.

    Args:
        page: what is sent.
        authenticate: says who has sent a request. Somebody unknown gets the page with 401, and it asks for a
            key: a browser cannot send one when it opens a page.
    """

    def __init__(self, page: ChatPage, authenticate: Authenticate | None) -> None:
        self._page = page
        self._authenticate = authenticate

    def add_to(self, router: APIRouter) -> None:
        """Add the route; the router itself must let everybody in."""
        router.add_api_route(
            "/", self.show, methods=["GET", "HEAD"], response_class=Response, include_in_schema=False
        )

    async def show(self, request: Request) -> Response:
        """Show the chat page."""
        try:
            await owner_of(self._authenticate, request)
        except Problem as problem:
            if problem.code != "unauthorized":
                raise
            return self._page.response(locked=True)
        return self._page.response()
