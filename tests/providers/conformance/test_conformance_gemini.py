"""The conformance kit on Gemini."""

from __future__ import annotations

from finalturn import Capabilities
from finalturn.providers import Gemini
from tests.providers.conformance._gemini_fake import GeminiWire
from tests.providers.conformance._kit import VendorConformance


class TestGemini(VendorConformance):
    """A model since Gemini 3: schemas beside tools, and ids of calls."""

    wire = GeminiWire(ids=True)
    can = Capabilities(
        native_schema=True, native_schema_with_tools=True, native_schema_any_root=True, images=True
    )

    def connect(self, url: str, /) -> Gemini:
        return Gemini(
            "gemini",
            base_url=f"{url}/v1beta",
            api_key=self.secret,
            capabilities=self.can,
            max_retries=0,
            thinking=True,
        )


class TestGeminiBefore3(TestGemini):
    """A model before: calls have no ids."""

    wire = GeminiWire(ids=False)
    can = Capabilities(native_schema=True, native_schema_any_root=True, images=True)
    keeps_call_ids = False
