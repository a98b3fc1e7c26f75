"""Models to ask: the providers that come with finalturn."""

from finalturn._public_home import publish
from finalturn.providers._anthropic import Anthropic
from finalturn.providers._bedrock import Bedrock
from finalturn.providers._fallback import Fallback
from finalturn.providers._gemini import Gemini
from finalturn.providers._gemini_vertex import Vertex
from finalturn.providers._infer import infer_provider
from finalturn.providers._openai_chat import OpenAIChat
from finalturn.providers._openai_responses import OpenAIResponses
from finalturn.providers._scripted import Scripted

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
