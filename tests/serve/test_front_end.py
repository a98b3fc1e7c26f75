"""What is taken of a conversation as a client holds it."""

from __future__ import annotations

import pytest

from finalturn import ContentPart, Message
from finalturn.serve._config import ServeConfig
from finalturn.serve._front_end import Held, check_text, check_url, image, take
from finalturn.serve._problem import Problem
from finalturn.serve._served import Served
from finalturn.sessions import InMemorySessions
from tests.serve._agents import plain

ALONE = Served(plain(), None, ServeConfig())
IN_SESSION = Served(plain(), InMemorySessions(), ServeConfig())

FIRST = Held("user", "/messages/0", Message.user("one"))
ANSWER = Held("assistant", "/messages/1", Message.assistant("two"))
TOOL = Held("tool", "/messages/2")
NOTE = Held("note", "/messages/3")
SECOND = Held("user", "/messages/4", Message.user("three"))
THIRD = Held("user", "/messages/5", Message.user("four"))


def contents(held: list[Held], served: Served) -> list[str]:
    return [one.content for one in take(held, served)]


def test_without_sessions_all_that_was_said_is_taken() -> None:
    assert contents([FIRST, ANSWER, TOOL, NOTE, SECOND, THIRD], ALONE) == ["one", "two", "three", "four"]


@pytest.mark.parametrize("between", [ANSWER, TOOL, NOTE])
def test_in_a_session_only_what_the_user_has_said_since_is_taken(between: Held) -> None:
    assert contents([FIRST, between, SECOND, THIRD], IN_SESSION) == ["three", "four"]
    assert contents([FIRST, SECOND], IN_SESSION) == ["one", "three"]


@pytest.mark.parametrize("served", [ALONE, IN_SESSION])
@pytest.mark.parametrize(
    ("held", "field"),
    [
        ([], "/messages"),
        ([FIRST, ANSWER], "/messages"),
        ([FIRST, NOTE], "/messages"),
        ([FIRST, ANSWER, TOOL], "/messages/2"),
    ],
)
def test_it_must_end_with_the_user(served: Served, held: list[Held], field: str) -> None:
    with pytest.raises(Problem) as caught:
        take(held, served)
    assert caught.value.errors[0][0] == field
    assert caught.value.code == "invalid_request"


def test_what_the_agent_does_not_take_is_named_by_its_place_in_the_request() -> None:
    picture = Held("user", "/messages/4", Message.user("", ContentPart.image_url("https://x.test/a.png")))
    with pytest.raises(Problem) as caught:
        take([FIRST, ANSWER, TOOL, picture], ALONE)
    assert caught.value.errors[0][0] == "/messages/4"


def test_the_limit_counts_what_is_taken() -> None:
    tight = ServeConfig(max_messages=2)
    with pytest.raises(Problem) as caught:
        take([FIRST, ANSWER, SECOND], Served(plain(), None, tight))
    assert caught.value.errors[0][0] == "/messages"
    kept = Served(plain(), InMemorySessions(), tight)
    assert contents([FIRST, ANSWER, SECOND, THIRD], kept) == ["three", "four"]


def test_half_a_character() -> None:
    assert check_text("é😀", "/x") == "é😀"
    with pytest.raises(Problem, match="/x: holds half of a surrogate pair"):
        check_text("a\ud83d", "/x")


@pytest.mark.parametrize("url", ["https://x.test/a.png", "data:image/png;base64,AA=="])
def test_urls_of_images(url: str) -> None:
    assert check_url(url, "/x") == url


@pytest.mark.parametrize("url", ["http://x.test/a.png", "file:///etc/passwd", "data:text/html,x", "", "//x"])
def test_other_urls(url: str) -> None:
    with pytest.raises(Problem, match="/x: must be an https: URL"):
        check_url(url, "/x")


def test_an_image_that_is_none() -> None:
    assert image(lambda: ContentPart.image_base64("AA==", "image/png"), "/x").media_type == "image/png"
    with pytest.raises(Problem) as caught:
        image(lambda: ContentPart.image_base64("AA==", ""), "/x")
    assert caught.value.errors[0][0] == "/x"
