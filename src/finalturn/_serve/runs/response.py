"""`RunResponse`: answers a request with the frames of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from finalturn._serve.config import ServeConfig
from finalturn._serve.formats.sse import HEADERS, HEARTBEAT
from finalturn._serve.runs.log import FramesGoneError
from finalturn._serve.runs.run import Run
from finalturn._serve.runs.runs import Runs

_PIECE = 16 * 1024

__all__ = ["RunResponse", "disconnected"]


class RunResponse(Response):
    """Sends a run's frames after a number, as they come, until the run ends or the client is gone.

    Args:
        run: what is read; the response joins it when it is made.
        runs: are told when the client is gone.
        config: heartbeat and patience.
        after: the number of the last frame that the client has.
        headers: beside those of every stream.
    """

    def __init__(
        self,
        run: Run,
        runs: Runs,
        config: ServeConfig,
        *,
        after: int = 0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(headers={**HEADERS, "X-Run-Id": run.id, **(headers or {})})
        del self.headers["content-length"]
        self._run = run
        self._runs = runs
        self._config = config
        self._after = after
        self._ticket = run.join(after)
        runs.reader_joined(run)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, as an ASGI application."""
        gone = asyncio.create_task(disconnected(receive))
        sending = asyncio.create_task(self._send(send))
        try:
            await asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        except (TimeoutError, OSError):
            # The client takes nothing, or its connection broke.
            pass
        finally:
            for task in (gone, sending):
                task.cancel()
            ended = asyncio.gather(gone, sending, return_exceptions=True)
            self._run.leave(self._ticket)
            # Begun before anything is awaited: a request may be cancelled more than once.
            await self._runs.reader_leaving(self._run)
            await ended

    async def _send(self, send: Send) -> None:
        head = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await self._patiently(send, head)
        after = self._after
        while True:
            try:
                async with asyncio.timeout(self._config.heartbeat):
                    frames, after = await self._run.read(self._ticket, after)
            except TimeoutError:
                await self._patiently(send, _body(HEARTBEAT))
                continue
            except FramesGoneError:
                break
            if not frames:
                break
            data = b"".join(frames)
            # In pieces: a client that takes them slowly is there.
            for start in range(0, len(data), _PIECE):
                await self._patiently(send, _body(data[start : start + _PIECE]))
        await self._patiently(send, _body(b"", more=False))

    async def _patiently(self, send: Send, message: Message) -> None:
        async with asyncio.timeout(self._config.stall_timeout):
            await send(message)


def _body(body: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def disconnected(receive: Receive) -> None:
    """Wait until the client is gone. The request's body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
