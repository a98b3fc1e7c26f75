"""Models to ask: the providers that come with finalturn."""

from finalturn.providers._openai_chat import OpenAIChat
from finalturn.providers._scripted import Scripted

__all__ = ["OpenAIChat", "Scripted"]
