"""The UI message stream of the AI SDK, version 1: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol."""

from finalturn._serve.formats.ai_sdk.projection import HEADERS, AiSdk
from finalturn._serve.formats.ai_sdk.request import AiSdkRequest, read_ai_sdk

__all__ = ["HEADERS", "AiSdk", "AiSdkRequest", "read_ai_sdk"]
