"""For the tests of those who build on finalturn."""

from finalturn.testing._http_items import HttpAnswer, ReceivedRequest
from finalturn.testing._server import ScriptedServer

__all__ = ["HttpAnswer", "ReceivedRequest", "ScriptedServer"]
