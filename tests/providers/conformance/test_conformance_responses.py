"""The conformance kit on OpenAIResponses."""

from __future__ import annotations

from finalturn import Capabilities
from finalturn.providers import OpenAIResponses
from tests.providers.conformance._kit import VendorConformance
from tests.providers.conformance._responses_fake import ResponsesWire

EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


class TestOpenAIResponses(VendorConformance):
    """A model of OpenAI's, with all that it can do."""

    wire = ResponsesWire()

    def connect(self, url: str, /) -> OpenAIResponses:
        return OpenAIResponses(
            "gpt", base_url=f"{url}/v1", api_key=self.secret, capabilities=EVERYTHING, max_retries=0
        )
