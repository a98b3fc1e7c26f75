"""For the tests of those who build on finalturn."""

from finalturn._public_home import publish
from finalturn.testing._http_items import HttpAnswer, ReceivedRequest
from finalturn.testing._record import Recording, record
from finalturn.testing._server import ScriptedServer
from finalturn.testing.conformance._answers import ScriptedAnswer
from finalturn.testing.conformance._chat import ChatServerConformance
from finalturn.testing.conformance._kit import ProviderConformance

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
