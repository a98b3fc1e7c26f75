"""The conformance kit for providers."""

from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.chat import ChatServerConformance
from finalturn._testing.conformance.kit import ProviderConformance

__all__ = ["ChatServerConformance", "ProviderConformance", "ScriptedAnswer"]
