"""Where conversations are kept between turns."""

from finalturn.sessions._memory import InMemorySessions

__all__ = ["InMemorySessions"]
