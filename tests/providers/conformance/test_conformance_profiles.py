"""The conformance kit on OpenAIChat with the profiles whose wires differ most."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from finalturn import Agent, Capabilities, tool
from finalturn._providers.openai_chat.profiles import PROFILES, ProfileName
from finalturn._testing.conformance.answers import calls, says
from finalturn.providers import OpenAIChat
from tests.providers.conformance._deepseek_fake import DeepSeekWire
from tests.providers.conformance._kit import VendorConformance
from tests.providers.conformance._llamacpp_fake import LlamaCppWire
from tests.providers.conformance._mistral_fake import MistralWire, own_id
from tests.providers.conformance._vendor import Vendor


class ProfileConformance(VendorConformance):
    """What a profile says that its server can do; what only some of its models can do is added."""

    profile: ClassVar[ProfileName]
    can: ClassVar[Capabilities]

    def connect(self, url: str, /) -> OpenAIChat:
        return OpenAIChat(
            "any",
            base_url=f"{url}/v1",
            api_key=self.secret,
            profile=self.profile,
            capabilities=self.can,
            max_retries=0,
        )


class TestMistral(ProfileConformance):
    wire = MistralWire()
    profile = "mistral"
    can = replace(PROFILES["mistral"].capabilities, images=True)
    # No finish reason says it.
    reports_refusals = False
    # The scripted ids are none of Mistral's, so the fake gives its own.
    keeps_call_ids = False


class TestDeepSeek(ProfileConformance):
    wire = DeepSeekWire()
    profile = "deepseek"
    can = PROFILES["deepseek"].capabilities


class TestLlamaCpp(ProfileConformance):
    wire = LlamaCppWire()
    profile = "llamacpp"
    can = replace(PROFILES["llamacpp"].capabilities, images=True)
    # No finish reason says it.
    reports_refusals = False


@pytest.mark.anyio
async def test_ids_of_mistral_go_back_as_they_came() -> None:
    @tool
    async def look() -> str:
        """Looks."""
        return "seen"

    wanted = ("zq7xcall_1", "look", "{}"), ("zq7xcall_2", "look", "{}")
    with Vendor(MistralWire(), [calls(*wanted), says("Done.")]) as vendor:
        chat = OpenAIChat("any", base_url=f"{vendor.url}/v1", api_key="k", profile="mistral", max_retries=0)
        async with chat:
            result = await Agent(chat, tools=[look]).arun("go")
    ids = [own_id(call_id) for call_id, *_ in wanted]
    assert [message.tool_call_id for message in result.messages if message.tool_name] == ids
    assert all(vendor.received[1].body.count(call_id) == 2 for call_id in ids)
