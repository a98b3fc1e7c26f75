"""For the tests of those who build on finalturn."""

from finalturn._serve.formats.schemas_records import NativeRecord
from finalturn._support.public_home import publish
from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.chat import ChatServerConformance
from finalturn._testing.conformance.kit import ProviderConformance
from finalturn._testing.recording.record import Recording, record
from finalturn._testing.scripted_server.items import HttpAnswer, ReceivedRequest
from finalturn._testing.scripted_server.server import ScriptedServer
from finalturn._testing.turn_client.client import AsyncTurnClient, TurnClient
from finalturn._testing.turn_client.reading import ServedResult, TurnProblem
from finalturn._testing.turn_client.turns import AsyncServedTurn, ServedTurn

__all__ = [
    "AsyncServedTurn",
    "AsyncTurnClient",
    "ChatServerConformance",
    "HttpAnswer",
    "NativeRecord",
    "ProviderConformance",
    "ReceivedRequest",
    "Recording",
    "ScriptedAnswer",
    "ScriptedServer",
    "ServedResult",
    "ServedTurn",
    "TurnClient",
    "TurnProblem",
    "record",
]

publish(globals())
del publish
