"""What an error calls something."""

from __future__ import annotations

import pytest

from finalturn import Agent, Message, StructuredOutputConfig, Usage
from finalturn._core.described import described


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "None"),
        (3, "an int"),
        ("sk-4711", "a str"),
        (object(), "an object"),
        (Usage(), "a Usage"),
        (Agent, "the class Agent"),
        (Message.user("hi"), "a Message"),
        (StructuredOutputConfig(), "a StructuredOutputConfig"),
        (len, "a builtin_function_or_method"),
    ],
)
def test_it_has_an_article_and_tells_nothing_of_what_it_holds(given: object, words: str) -> None:
    assert described(given) == words
