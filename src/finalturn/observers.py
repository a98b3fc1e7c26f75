"""What a `TurnObserver` is told of a turn.

```python
import logging

from finalturn import Agent
from finalturn.observers import ObservedTurn, ToolCallEnded, TurnEnded, TurnEvent
from finalturn.providers import Scripted

log = logging.getLogger("turns")


class Log:
    def observe(self, turn: ObservedTurn) -> "TurnLog":
        return TurnLog(turn.session)


class TurnLog:
    def __init__(self, session: str | None) -> None:
        self.session = session

    def on_event(self, event: TurnEvent) -> None:
        match event:
            case ToolCallEnded(call=call, failure=str() as failure):
                log.warning("the tool %s failed: %s", call.name, failure)
            case TurnEnded(usage=usage):
                log.info("session %s: %d tokens", self.session, usage.total_tokens)
            case _:
                pass


agent = Agent(Scripted("Hello."), observers=[Log()])
```
"""

from finalturn._core.observers import (
    ChunkDelivered,
    ContextWatch,
    ModelCallEnded,
    ModelCallStarted,
    ModelEventReceived,
    ObservedTurn,
    PredicateAnswered,
    PredicateAsked,
    RuleFired,
    SaveEnded,
    SaveStarted,
    ToolBatchStarted,
    ToolCallEnded,
    ToolCallStarted,
    TurnEnded,
    TurnEvent,
    TurnPart,
    TurnPrepared,
)
from finalturn._support.public_home import publish

__all__ = [
    "ChunkDelivered",
    "ContextWatch",
    "ModelCallEnded",
    "ModelCallStarted",
    "ModelEventReceived",
    "ObservedTurn",
    "PredicateAnswered",
    "PredicateAsked",
    "RuleFired",
    "SaveEnded",
    "SaveStarted",
    "ToolBatchStarted",
    "ToolCallEnded",
    "ToolCallStarted",
    "TurnEnded",
    "TurnEvent",
    "TurnPart",
    "TurnPrepared",
]

publish(globals())
del publish
