"""The conformance kit: tests that the author of a provider runs on it, against a fake of the vendor."""

from finalturn._testing.conformance.answers import ScriptedAnswer
from finalturn._testing.conformance.chat import ChatServerConformance
from finalturn._testing.conformance.kit import ProviderConformance

__all__ = ["ChatServerConformance", "ProviderConformance", "ScriptedAnswer"]
