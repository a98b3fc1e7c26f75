"""The conformance kit on Anthropic."""

from __future__ import annotations

from finalturn import Capabilities
from finalturn.providers import Anthropic
from tests.providers.conformance._anthropic_fake import AnthropicWire
from tests.providers.conformance._kit import VendorConformance

EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


class TestAnthropic(VendorConformance):
    """A model of Anthropic's, with all that it can do."""

    wire = AnthropicWire()

    def connect(self, url: str, /) -> Anthropic:
        return Anthropic(
            "claude", base_url=f"{url}/v1", api_key=self.secret, capabilities=EVERYTHING, max_retries=0
        )
