"""For the tests of those who build on finalturn."""

from finalturn._support.public_home import publish
from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.chat import ChatServerConformance
from finalturn._testing.conformance.kit import ProviderConformance
from finalturn._testing.recording.record import Recording, record
from finalturn._testing.scripted_server.items import HttpAnswer, ReceivedRequest
from finalturn._testing.scripted_server.server import ScriptedServer

__all__ = [
    "ChatServerConformance",
    "HttpAnswer",
    "ProviderConformance",
    "ReceivedRequest",
    "Recording",
    "ScriptedAnswer",
    "ScriptedServer",
    "record",
]

publish(globals())
del publish
