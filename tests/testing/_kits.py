"""The conformance kit on providers that stand at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from finalturn import Capabilities
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._testing.conformance.judge import Verdict, judge
from finalturn._testing.conformance.kit import BACKENDS, Play, plays_of
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ChatServerConformance, ProviderConformance, ScriptedAnswer

EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


class ScriptedKit(ProviderConformance):
    """`Scripted` is its own vendor."""

    can: ClassVar[Capabilities] = EVERYTHING
    script: Scripted

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> Provider | StreamingProvider:
        self.script = Scripted(*calls, capabilities=self.can)
        return self.wrap(self.script)

    def wrap(self, script: Scripted) -> Provider | StreamingProvider:
        return script

    def sent(self) -> Sequence[str]:
        return [repr(request) for request in self.script.requests]

    def released(self) -> bool:
        return self.script.open == 0


class ChatKit(ChatServerConformance):
    can: ClassVar[Capabilities] = EVERYTHING

    def connect(self, base_url: str, /) -> OpenAIChat:
        return OpenAIChat("any", base_url=base_url, api_key=self.secret, capabilities=self.can, max_retries=0)


def verdicts(
    kit: type[ProviderConformance], backends: Sequence[str] = BACKENDS
) -> Iterator[tuple[Play, Verdict]]:
    """What the kit finds, play by play."""
    for name in vars(ProviderConformance):
        if name.startswith("test_"):
            for play in plays_of(name.removeprefix("test_").replace("_", "-")):
                if play.backend in backends:
                    yield play, judge(kit(), *play)
