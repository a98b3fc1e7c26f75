"""Serving an agent over HTTP: an application of its own, or a router for yours.

Needs the extra ``finalturn[serve]``. It runs on asyncio.
"""

from finalturn._serve.access.authenticate import Authenticate
from finalturn._serve.access.keys import ApiKeys, new_key
from finalturn._serve.app import create_app
from finalturn._serve.config import ServeConfig
from finalturn._serve.per_request.agents import AgentForRequest
from finalturn._serve.per_request.deps import DepsForRequest
from finalturn._serve.problems.failure import FailureCode
from finalturn._serve.router import create_router
from finalturn._support.public_home import publish

__all__ = [
    "AgentForRequest",
    "ApiKeys",
    "Authenticate",
    "DepsForRequest",
    "FailureCode",
    "ServeConfig",
    "create_app",
    "create_router",
    "new_key",
]

publish(globals())
del publish
