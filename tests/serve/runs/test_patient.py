"""Whole answers, and clients that read them slowly, or not at all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from finalturn._serve.runs.patient import PatientResponse
from finalturn._serve.runs.runs import Runs
from finalturn.serve import ServeConfig

pytestmark = pytest.mark.anyio
SCOPE: dict[str, Any] = {"type": "http"}


async def receive() -> Any:
    raise AssertionError("nothing is received")


@pytest.mark.parametrize("size", [0, 1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 300_000])
async def test_it_arrives_whole_in_pieces(size: int) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    body = bytes(number % 251 for number in range(size))
    await PatientResponse(body, Runs(ServeConfig()), 60, {"X-A": "1"})(SCOPE, receive, send)
    head, *pieces = sent
    assert (b"content-length", str(size).encode()) in head["headers"] and (b"x-a", b"1") in head["headers"]
    assert b"".join(piece["body"] for piece in pieces) == body
    assert [piece["more_body"] for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    assert all(len(piece["body"]) <= 64 * 1024 for piece in pieces)


async def test_who_takes_nothing_is_gone_and_a_large_answer_counts_until_then() -> None:
    runs = Runs(ServeConfig(buffer=1_000, max_runs=1))
    full: list[bool] = []

    async def send(message: Any) -> None:
        full.append(runs.full)
        await asyncio.Event().wait()

    await PatientResponse(b"x" * 2_000, runs, 0.01, {})(SCOPE, receive, send)
    await PatientResponse(b"x" * 1_000, runs, 0.01, {})(SCOPE, receive, send)
    assert full == [True, False] and not runs.full


async def test_a_connection_that_breaks_is_no_error() -> None:
    async def send(message: Any) -> None:
        raise OSError

    await PatientResponse(b"x", Runs(ServeConfig()), 60, {})(SCOPE, receive, send)
