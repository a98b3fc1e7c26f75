"""Ready-made checks for gates. The gates themselves are in ``finalturn``."""

from finalturn._gates.provider_check import provider_check
from finalturn._support.public_home import publish

__all__ = ["provider_check"]

publish(globals())
del publish
