"""`PatientResponse`: sends a whole answer to a client that may read it slowly, or never."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from finalturn._serve.runs.runs import Runs

__all__ = ["PatientResponse"]

_PIECE = 64 * 1024


class PatientResponse(Response):
    """JSON, sent in pieces. A client that takes nothing for a while is taken for gone.

    While one that is larger than what is kept of a stream is on its way, it counts as a run.

    Args:
        body: JSON.
        runs: count it.
        stall_timeout: after so many seconds without any progress, the answer is given up.
        headers: of the answer.
    """

    def __init__(self, body: bytes, runs: Runs, stall_timeout: float, headers: Mapping[str, str]) -> None:
        super().__init__(body, headers=dict(headers), media_type="application/json")
        self._runs = runs
        self._stall_timeout = stall_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, as an ASGI application."""
        body, self.body = bytes(self.body), b""
        large = self._runs.is_large(len(body))
        self._runs.sending += large
        try:
            await self._send(
                send, {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            )
            last = max(0, (len(body) - 1) // _PIECE * _PIECE)
            for start in range(0, last, _PIECE):
                await self._send(send, _piece(body[start : start + _PIECE], more=True))
        except (TimeoutError, OSError):
            # The client takes nothing, or its connection broke.
            return
        finally:
            self._runs.sending -= large
        try:
            await self._send(send, _piece(body[last:], more=False))
        except (TimeoutError, OSError):
            return

    async def _send(self, send: Send, message: dict[str, object]) -> None:
        async with asyncio.timeout(self._stall_timeout):
            await send(message)


def _piece(body: bytes, *, more: bool) -> dict[str, object]:
    return {"type": "http.response.body", "body": body, "more_body": more}
