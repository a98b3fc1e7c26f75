"""Where conversations are kept between turns."""

from finalturn._sessions.jsonl import ImportProblem, ImportReport
from finalturn._sessions.memory import InMemorySessions
from finalturn._sessions.sql.store import SQLSessions
from finalturn._support.public_home import publish

__all__ = ["ImportProblem", "ImportReport", "InMemorySessions", "SQLSessions"]

publish(globals())
del publish
