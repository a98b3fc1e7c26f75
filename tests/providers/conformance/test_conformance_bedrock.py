"""The conformance kit on Bedrock."""

from __future__ import annotations

import pytest

from finalturn import Capabilities
from finalturn.providers import Bedrock
from tests.providers.conformance._bedrock_fake import BedrockWire
from tests.providers.conformance._kit import VendorConformance

pytest.importorskip("botocore")

EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


class TestBedrock(VendorConformance):
    """A model of Anthropic's behind Converse, with all that it can do."""

    wire = BedrockWire()
    model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    can = EVERYTHING

    def connect(self, url: str, /) -> Bedrock:
        return Bedrock(
            self.model,
            region="eu-central-1",
            base_url=url,
            api_key=self.secret,
            capabilities=self.can,
            max_retries=0,
        )


class TestBedrockMistral(TestBedrock):
    """A model that wants results alone in their message, and follows no schema. Nor does it think aloud."""

    model = "mistral.mistral-large-2407-v1:0"
    can = Capabilities()
    supports_reasoning = False
