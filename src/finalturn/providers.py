"""Models to ask: the providers that come with finalturn."""

from finalturn._providers.anthropic.provider import Anthropic
from finalturn._providers.bedrock.provider import Bedrock
from finalturn._providers.fallback.provider import Fallback
from finalturn._providers.gemini.provider import Gemini
from finalturn._providers.gemini.vertex import Vertex
from finalturn._providers.infer import infer_provider
from finalturn._providers.openai_chat.provider import OpenAIChat
from finalturn._providers.openai_responses.provider import OpenAIResponses
from finalturn._providers.scripted.provider import Scripted
from finalturn._support.public_home import publish

__all__ = [
    "Anthropic",
    "Bedrock",
    "Fallback",
    "Gemini",
    "OpenAIChat",
    "OpenAIResponses",
    "Scripted",
    "Vertex",
    "infer_provider",
]

publish(globals())
del publish
