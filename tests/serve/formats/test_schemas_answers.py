from __future__ import annotations

from typing import get_args

import pytest

from finalturn import Agent
from finalturn._serve.formats import schemas_answers as answers
from finalturn._serve.problems.failure import STATUS, FailureCode
from finalturn._serve.problems.problem import Problem
from finalturn.providers import Scripted
from finalturn.serve import create_app
from finalturn.sessions import InMemorySessions
from tests.serve._asgi import Client
from tests.serve._valid import accepts, check


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_every_problem_is_declared() -> None:
    for code in get_args(FailureCode):
        check(answers.ProblemDocument, Problem(code, "why").document())
        check(answers.ProblemDocument, Problem.field("/input", "is wrong", code=code).document())
        assert 400 <= STATUS[code] <= 599, code


def test_a_problem_names_a_field_or_none() -> None:
    assert not accepts(answers.ProblemDocument, {**Problem("not_found", "why").document(), "errors": []})


@pytest.mark.anyio
async def test_what_is_answered_is_declared() -> None:
    client = Client(create_app(Agent(Scripted(then="Hello."), sessions=InMemorySessions())))
    chat = await client.send("POST", "/v1/chat", json={"input": "hi", "session": "s"})
    check(answers.ChatAnswer, chat.json)
    check(answers.Health, (await client.send("GET", "/health")).json)
    page = await client.send("GET", "/v1/sessions?limit=1")
    check(answers.SessionPage, page.json)
    (entry,) = page.json["sessions"]
    check(answers.SessionEntry, entry)
    check(answers.SessionDocument, (await client.send("GET", "/v1/sessions/s")).json)
