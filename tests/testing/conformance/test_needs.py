"""Why a case cannot be run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finalturn import Capabilities
from finalturn._testing.conformance import needs as needs
from finalturn._testing.conformance.case import Need
from finalturn.testing import ProviderConformance
from tests.testing._kits import EVERYTHING

NOTHING = Capabilities(native_tools=False)


class Able(ProviderConformance):
    def sent(self) -> Sequence[str]:
        return []


class Unable(ProviderConformance):
    supports_reasoning = False
    reports_usage = False
    reports_refusals = False
    keeps_call_ids = False


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        (needs.reasoning, "supports_reasoning is False"),
        (needs.usage, "reports_usage is False"),
        (needs.refusals, "reports_refusals is False"),
        (needs.call_ids, "keeps_call_ids is False"),
        (needs.sent, "sent() is not overridden"),
        (needs.native_tools, "capabilities.native_tools is False"),
        (needs.native_schema, "capabilities.native_schema is False"),
        (needs.schema_with_tools, "capabilities.native_schema_with_tools is False"),
        (needs.images, "capabilities.images is False"),
    ],
)
def test_the_reason_is_what_the_author_or_the_provider_said(need: Need, reason: str) -> None:
    assert need(Unable(), NOTHING) == reason
    assert need(Able(), EVERYTHING) is None


def test_text_tools_are_for_providers_without_native_ones() -> None:
    assert needs.text_tools(Able(), EVERYTHING) == "capabilities.native_tools is True"
    assert needs.text_tools(Able(), NOTHING) is None
