"""`WholeResponse`: answers a request with the result of a whole turn."""

from __future__ import annotations

import asyncio
import json

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from finalturn._serve.formats.items import Ended, Item
from finalturn._serve.problems.exceptions import problem_of
from finalturn._serve.problems.problem import Problem, problem_response
from finalturn._serve.runs.patient import PatientResponse
from finalturn._serve.runs.response import disconnected
from finalturn._serve.runs.run import Run
from finalturn._serve.runs.runs import Runs

__all__ = ["OutcomeOnly", "WholeResponse"]


class OutcomeOnly:
    """The projection of a turn of which only the outcome is sent."""

    def records(self, item: Item, /) -> tuple[()]:
        """No record."""
        return ()


class WholeResponse(Response):
    """Waits for a run, and sends its result, or why there is none. The turn stops when the client is gone.

    Args:
        run: the turn.
        runs: forget it afterwards.
        stall_timeout: seconds; a client that has taken nothing of the answer for so long is taken for gone.
    """

    def __init__(self, run: Run, runs: Runs, stall_timeout: float) -> None:
        super().__init__()
        self._stall_timeout = stall_timeout
        self._run = run
        self._runs = runs
        self._ticket = run.join()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, as an ASGI application."""
        gone = asyncio.create_task(disconnected(receive))
        ended = asyncio.create_task(self._run.wait())
        try:
            await asyncio.wait((gone, ended), return_when=asyncio.FIRST_COMPLETED)
            left = not ended.done()
        finally:
            for task in (gone, ended):
                task.cancel()
            settled = asyncio.gather(gone, ended, return_exceptions=True)
            self._run.leave(self._ticket)
            await self._runs.dropping(self._run)
            await settled
        if not left:
            await self._answer()(scope, receive, send)

    def _answer(self) -> Response:
        outcome = self._run.outcome
        headers = {"X-Run-Id": self._run.id, "Cache-Control": "no-store"}
        assert outcome is not None, "a run that is waited for has an outcome"
        if isinstance(outcome, Ended):
            document = {"run_id": self._run.id, "session": self._run.session, "result": outcome.result}
            try:
                body = json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")
                return PatientResponse(body, self._runs, self._stall_timeout, headers)
            except Exception as error:
                problem = problem_of(error)
        else:
            problem = Problem.of(outcome.failure)
        problem.headers = {**(problem.headers or {}), **headers}
        return problem_response(problem)
