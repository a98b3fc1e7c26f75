"""``python -m tests.serve._killed_server DATABASE``: a server that is there to be killed.

It prints its port. It ends when its input does, too.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncGenerator

import uvicorn
from pydantic import BaseModel

from finalturn import (
    Agent,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    StructuredOutputConfig,
    TextDelta,
    ToolCallDelta,
    tool,
)
from finalturn.serve import create_app
from finalturn.sessions import SQLSessions


class Said(BaseModel):
    """What a turn ends in: what the user has said."""

    said: str


@tool
async def look(said: str) -> str:
    """Look it up."""
    return said


class Echo:
    """A model that calls a tool, repeats what the user said letter by letter, and gives the object."""

    def complete(self, request: ModelRequest) -> ModelResponse:
        raise AssertionError("this model streams")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        said = next(one.content for one in reversed(request.messages) if one.content.startswith("turn "))
        answer = json.dumps({"said": said})
        if request.call == 0:
            yield ToolCallDelta(0, "call_1", "look", answer)
        elif request.call == 1:
            for letter in said:
                await asyncio.sleep(0)
                yield TextDelta(letter)
        else:
            yield TextDelta(answer)
        yield ModelEnd()


async def main(database: str) -> None:
    agent = Agent(
        Echo(),
        tools=[look],
        response_format=Said,
        structured_output=StructuredOutputConfig(final_turn_only=True),
        sessions=SQLSessions(database),
    )
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(create_app(agent), log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    print(listener.getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.should_exit = True
    await serving


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
