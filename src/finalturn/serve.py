"""Serving an agent over HTTP: an application of its own, or a router for yours.

Needs the extra ``finalturn[serve]``. It runs on asyncio.
"""

from finalturn._public_home import publish
from finalturn.serve._app import create_app
from finalturn.serve._authenticate import Authenticate
from finalturn.serve._config import ServeConfig
from finalturn.serve._failure import FailureCode
from finalturn.serve._keys import ApiKeys, new_key
from finalturn.serve._router import create_router

__all__ = ["ApiKeys", "Authenticate", "FailureCode", "ServeConfig", "create_app", "create_router", "new_key"]

publish(globals())
del publish
