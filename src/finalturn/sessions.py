"""Where conversations are kept between turns."""

from finalturn._public_home import publish
from finalturn.sessions._jsonl import ImportProblem, ImportReport
from finalturn.sessions._memory import InMemorySessions
from finalturn.sessions._sql import SQLSessions

__all__ = ["ImportProblem", "ImportReport", "InMemorySessions", "SQLSessions"]

publish(globals())
del publish
