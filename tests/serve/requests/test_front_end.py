"""What is taken of a conversation as a client holds it."""

from __future__ import annotations

from typing import Literal

import pytest

from finalturn import Agent, Capabilities, ContentPart, Message
from finalturn._serve.config import ServeConfig
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.front_end import (
    HeldMessage,
    Refuse,
    always_refuse,
    check_text,
    check_url,
    image,
    messages_for_agent,
)
from finalturn._serve.served import Served
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.serve._agents import plain

ALONE = Served(plain(), None, ServeConfig())
IN_SESSION = Served(plain(), InMemorySessions(), ServeConfig())


def holding(role: Literal["user", "assistant"], field: str, message: Message) -> HeldMessage:
    return HeldMessage(role, field, lambda refuse: message)


def partly(field: str, text: str) -> HeldMessage:
    """A message of the user with a part that is refused."""

    def read(refuse: Refuse) -> Message:
        always_refuse(f"{field}/x", "is refused")(refuse)
        return Message.user(text)

    return HeldMessage("user", field, read)


FIRST = holding("user", "/messages/0", Message.user("one"))
ANSWER = holding("assistant", "/messages/1", Message.assistant("two"))
TOOL = HeldMessage("tool", "/messages/2")
NOTE = HeldMessage("note", "/messages/3")
SECOND = holding("user", "/messages/4", Message.user("three"))
THIRD = holding("user", "/messages/5", Message.user("four"))
OTHER = HeldMessage("other", "/messages/6", always_refuse("/messages/6/role", "is refused"))
PICTURE = ContentPart.image_url("https://x.test/a.png")


def contents(held: list[HeldMessage], served: Served) -> list[str]:
    return [one.content for one in messages_for_agent(held, served)]


def test_without_sessions_all_that_was_said_is_taken() -> None:
    assert contents([FIRST, ANSWER, TOOL, NOTE, SECOND, THIRD], ALONE) == ["one", "two", "three", "four"]


@pytest.mark.parametrize("between", [ANSWER, TOOL, NOTE])
def test_in_a_session_only_what_the_user_has_said_since_is_taken(between: HeldMessage) -> None:
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
        ([FIRST, OTHER], "/messages/6/role"),
    ],
)
def test_it_must_end_with_the_user(served: Served, held: list[HeldMessage], field: str) -> None:
    with pytest.raises(Problem) as caught:
        messages_for_agent(held, served)
    assert caught.value.errors[0][0] == field
    assert caught.value.code == "invalid_request"


def test_what_the_agent_does_not_take_is_named_by_its_place_in_the_request() -> None:
    picture = holding("user", "/messages/4", Message.user("", PICTURE))
    with pytest.raises(Problem) as caught:
        messages_for_agent([FIRST, ANSWER, TOOL, picture], ALONE)
    assert caught.value.errors[0][0] == "/messages/4"


@pytest.mark.parametrize("served", [ALONE, IN_SESSION])
def test_a_part_is_refused_while_it_is_new_and_then_left_out(served: Served) -> None:
    with pytest.raises(Problem) as caught:
        messages_for_agent([FIRST, ANSWER, partly("/messages/2", "look")], served)
    assert caught.value.errors[0][0] == "/messages/2/x"
    said = [] if served is IN_SESSION else ["one", "two"]
    assert contents([FIRST, ANSWER, partly("/messages/2", "look"), SECOND], served) == [
        *said,
        "look",
        "three",
    ]
    assert contents([FIRST, ANSWER, partly("/messages/2", ""), SECOND], served) == [*said, "three"]
    assert contents([partly("/messages/2", "look"), ANSWER, SECOND], served)[-1] == "three"


@pytest.mark.parametrize("served", [ALONE, IN_SESSION])
def test_an_image_that_the_agent_does_not_take_is_left_out_later(served: Served) -> None:
    pictures = [holding("user", "/messages/0", Message.user(text, PICTURE)) for text in ("look", "")]
    assert messages_for_agent([*pictures, SECOND], served) == (Message.user("look"), Message.user("three"))
    sees = Served(Agent(Scripted(capabilities=Capabilities(images=True))), None, ServeConfig())
    assert messages_for_agent([*pictures, SECOND], sees)[1] == Message.user("", PICTURE)


def test_without_sessions_a_message_that_no_request_may_hold_is_refused_while_it_is_new() -> None:
    for new in ([OTHER, FIRST], [FIRST, OTHER, SECOND], [FIRST, ANSWER, OTHER, SECOND]):
        with pytest.raises(Problem) as caught:
            messages_for_agent(new, ALONE)
        assert caught.value.errors[0][0] == "/messages/6/role"
    assert contents([OTHER, FIRST, SECOND], ALONE) == ["one", "three"]
    assert contents([OTHER, FIRST, ANSWER, SECOND], ALONE) == ["one", "two", "three"]


def test_in_a_session_it_is_left_out() -> None:
    assert contents([OTHER, FIRST], IN_SESSION) == ["one"]
    assert contents([FIRST, ANSWER, SECOND, OTHER, THIRD], IN_SESSION) == ["three", "four"]


def test_the_limit_counts_what_is_taken() -> None:
    tight = ServeConfig(max_messages=2)
    with pytest.raises(Problem) as caught:
        messages_for_agent([FIRST, ANSWER, SECOND], Served(plain(), None, tight))
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
