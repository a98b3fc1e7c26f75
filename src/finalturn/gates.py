"""Ready-made checks for gates. The gates themselves are in ``finalturn``."""

from finalturn._public_home import publish
from finalturn.gates._provider_check import provider_check

__all__ = ["provider_check"]

publish(globals())
del publish
