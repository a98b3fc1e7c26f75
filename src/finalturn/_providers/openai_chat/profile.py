"""`Profile`: how a server that speaks chat completions differs from others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from finalturn._core.markup import EVERY_TAG, HARMONY, Tag
from finalturn._core.model import Capabilities

# OpenAI answers a longer one with "string too long. Expected a string with maximum length 40".
SHORT_ID = re.compile(r".{1,40}", re.DOTALL)
ANY_ID = re.compile(r".+", re.DOTALL)

ANY_MODEL_TAG = (*EVERY_TAG, HARMONY)
"""How the models mark their reasoning that people run themselves."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A server's ways.

    Attributes:
        name: what it is called.
        base_url: where it is, when no other address is given; ``None`` when one must be.
        base_variable: the environment variable that holds its address, where it has no fixed one.
        base_path: what follows that address.
        client_package: the package of the vendor's own client, whose objects people may give by mistake.
        key_variable: the environment variable that holds its key; ``None`` when none is read.
        key_needed: it answers nobody without a key.
        key_header: the header that the key is sent in, as it is; ``None`` for a bearer token.
        capabilities: what it can do.
        max_tokens_field: what it calls the longest answer.
        seed_field: what it calls the seed.
        required_choice: what it calls the demand for a tool call.
        unsupported: names of `ModelSettings` fields that it refuses or ignores.
        strict_schema: schemas are to be in the subset of OpenAI's strict mode, where they can be. Otherwise
            any is taken as it is.
        schema_in_words: it only masks what does not fit the schema: its model is not told of it.
        image_urls: it fetches images. Otherwise it must be given their data.
        call_ids: the ids of calls that it takes. Others are replaced, the same by the same.
        strict_roles: it wants one system message, at the start, no two messages from the user in a row, and
            none right behind the result of a tool.
        stream_usage: it takes ``stream_options``, without which it reports no usage on a stream. A
            server that turns out to refuse them is not asked again.
        usage_within: an object of its own in which it may report usage.
        reasoning_fields: where in a message it puts reasoning; the first that holds any counts, as
            servers send the same piece under several names.
        think_tags: the tags between which it may leave reasoning in the text.
        text_calls: it may leave calls in the text, as its model writes them.
        replay: the field in which it wants the reasoning before a tool call back with the call;
            ``None`` when reasoning is not sent back.
        replay_needed: it refuses a conversation in which an ASSISTANT message lacks that field.
    """

    name: str = "the server"
    base_url: str | None = None
    base_variable: str | None = None
    base_path: str = ""
    client_package: str | None = None
    key_variable: str | None = None
    key_needed: bool = True
    key_header: str | None = None
    capabilities: Capabilities = field(default_factory=Capabilities)
    max_tokens_field: str = "max_tokens"
    seed_field: str = "seed"
    required_choice: str = "required"
    unsupported: frozenset[str] = frozenset()
    strict_schema: bool = True
    schema_in_words: bool = False
    image_urls: bool = True
    call_ids: re.Pattern[str] = ANY_ID
    strict_roles: bool = False
    stream_usage: bool = True
    usage_within: str | None = None
    reasoning_fields: tuple[str, ...] = ("reasoning_content", "reasoning", "reasoning_details")
    think_tags: tuple[Tag, ...] = ()
    text_calls: bool = False
    replay: str | None = None
    replay_needed: bool = False
