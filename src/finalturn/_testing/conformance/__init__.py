"""The conformance kit for providers."""

from finalturn.testing.conformance._answers import ScriptedAnswer
from finalturn.testing.conformance._chat import ChatServerConformance
from finalturn.testing.conformance._kit import ProviderConformance

__all__ = ["ChatServerConformance", "ProviderConformance", "ScriptedAnswer"]
