"""What is known of the servers that speak chat completions: data, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from finalturn.core.model import Capabilities

ProfileName: TypeAlias = Literal["openai"]


@dataclass(frozen=True, slots=True)
class Profile:
    """A server's ways.

    Attributes:
        base_url: where it is, when no other address is given; ``None`` when one must be.
        key_variable: the environment variable that holds its key; ``None`` when none is read.
        capabilities: what it can do.
        max_tokens_field: what it calls the longest answer.
        stream_usage: it takes ``stream_options``, without which it reports no usage on a stream. A
            server that turns out to refuse them is not asked again.
        reasoning_fields: where in a message it puts reasoning; the first that holds any counts, as
            servers send the same piece under several names.
    """

    base_url: str | None = None
    key_variable: str | None = None
    capabilities: Capabilities = field(default_factory=Capabilities)
    max_tokens_field: str = "max_tokens"
    stream_usage: bool = True
    reasoning_fields: tuple[str, ...] = ("reasoning_content", "reasoning", "reasoning_details")


ANY_SERVER = Profile()
"""A server of which nothing is known but that it speaks chat completions."""

PROFILES: dict[str, Profile] = {
    "openai": Profile(
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        capabilities=Capabilities(native_schema=True, native_schema_with_tools=True, images=True),
        max_tokens_field="max_completion_tokens",
    ),
}
