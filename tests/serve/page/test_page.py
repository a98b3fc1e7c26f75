"""The chat page is put together from its parts, under a policy that fits it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import anyio
import httpx
import pytest
from fastapi import APIRouter, FastAPI
from starlette.requests import Request

from finalturn import StreamEvent
from finalturn._serve.page.page import ChatPage, PageRoute
from finalturn._serve.requests.route import route_class

PAGE = ChatPage()
PARTS = ("chat.css", "turn.js", "view.js", "chat.js")


def part(name: str) -> str:
    return files("finalturn._serve.page").joinpath(name).read_text(encoding="utf-8")


class Document(HTMLParser):
    """What a browser would fetch, run or follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open, []).append(data)


def policy_of(page: ChatPage) -> dict[str, str]:
    policy = page.response().headers["Content-Security-Policy"]
    return {name: value for name, _, value in (one.partition(" ") for one in policy.split("; "))}


def hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_in_it_as_it_is(name: str) -> None:
    assert PAGE.html().count(part(name)) == 1


@pytest.mark.parametrize("name", PARTS)
def test_no_part_ends_the_element_that_it_stands_in(name: str) -> None:
    assert not re.search(r"</(style|script)|<!--", part(name), re.IGNORECASE)


def test_the_policy_allows_exactly_what_is_in_it() -> None:
    document = Document(PAGE.html())
    [style], [script] = document.texts["style"][:1], document.texts["script"][:1]
    assert [tag for tag, _ in document.tags].count("style") == 1
    assert [tag for tag, _ in document.tags].count("script") == 1
    assert policy_of(PAGE) == {
        "default-src": "'none'",
        "script-src": hash_of(script),
        "style-src": hash_of(style),
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
    }


def test_it_asks_for_nothing_and_runs_nothing_else() -> None:
    for tag, attributes in Document(PAGE.html()).tags:
        assert not {"src", "style", "action", "srcset"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "data:").startswith("data:"), tag


def test_no_script_makes_markup_of_text() -> None:
    scripts = "".join(part(name) for name in PARTS if name.endswith(".js"))
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", scripts)


@pytest.mark.parametrize(
    ("page", "locked", "offers"),
    [
        (ChatPage(), False, set[str]()),
        (ChatPage(sessions=True), False, {"data-sessions"}),
        (ChatPage(resume=True), False, {"data-resume"}),
        (ChatPage(sessions=True, resume=True), True, {"data-sessions", "data-resume", "data-locked"}),
    ],
)
def test_it_is_told_what_the_server_offers(page: ChatPage, locked: bool, offers: set[str]) -> None:
    [body] = [attributes for tag, attributes in Document(page.html(locked=locked)).tags if tag == "body"]
    assert set(body) == offers


def test_the_title_is_text() -> None:
    document = Document(ChatPage(title="<script>1</script> & co").html())
    assert document.texts["title"][0] == "<script>1</script> & co"
    assert document.texts["h1"][0] == "<script>1</script> & co"
    assert [tag for tag, _ in document.tags].count("script") == 1


def test_somebody_unknown_gets_it_with_401() -> None:
    response = PAGE.response(locked=True)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert "data-locked" in bytes(response.body).decode()


def test_everybody_else_gets_it_with_200() -> None:
    response = PAGE.response()
    assert response.status_code == 200
    assert "WWW-Authenticate" not in response.headers
    assert bytes(response.body).decode() == PAGE.html()
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_every_element_that_the_script_looks_up_is_there() -> None:
    scripts = part("view.js") + part("chat.js")
    ids = {attributes["id"] for _, attributes in Document(PAGE.html()).tags if "id" in attributes}
    assert set(re.findall(r'\$\("([a-z-]+)"\)', scripts)) <= ids


def test_the_script_knows_every_event() -> None:
    [constant] = re.findall(r"const EVENTS = (.*);\n", PAGE.html())
    assert json.loads(constant).keys() == set(StreamEvent)


def get(authenticate: object, headers: dict[str, str] | None = None, path: str = "/") -> httpx.Response:
    router = APIRouter(route_class=route_class(None, 0))
    PageRoute(ChatPage(title="Desk"), authenticate).add_to(router)  # type: ignore[arg-type]
    app = FastAPI(openapi_url=None)
    app.include_router(router, prefix=path.rstrip("/"))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path, headers=headers)

    return anyio.run(ask)


def who(request: Request) -> str | None:
    return "alice" if request.headers.get("Authorization") == "Bearer good" else None


@pytest.mark.parametrize("path", ["/", "/desk/"])
def test_without_keys_everybody_is_let_in(path: str) -> None:
    answer = get(None, path=path)
    assert answer.status_code == 200
    assert "<h1>Desk</h1>" in answer.text
    assert "data-locked" not in answer.text


def test_without_a_valid_key_the_page_asks_for_one() -> None:
    answer = get(who)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "data-locked" in answer.text


def test_with_a_valid_key_it_does_not() -> None:
    assert get(who, {"Authorization": "Bearer good"}).status_code == 200


def test_an_authenticate_that_does_not_work_shows_nothing() -> None:
    def broken(request: Request) -> str:
        raise RuntimeError("secret")

    answer = get(broken)
    assert answer.status_code == 500
    assert "<h1>" not in answer.text
