"""The servers of vendors and gateways. Each fact names the page of the vendor's that it comes from."""

from __future__ import annotations

import re

from finalturn._core.markup import THINK
from finalturn._core.model import Capabilities
from finalturn._providers.openai_chat.profile import SHORT_ID, Profile

# Guide "Structured model outputs": with tools too; the root is an object. API reference, "Create chat
# completion": max_tokens is deprecated, and models that reason refuse it.
OPENAI = Profile(
    name="OpenAI",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    capabilities=Capabilities(native_schema=True, native_schema_with_tools=True, images=True),
    max_tokens_field="max_completion_tokens",
    call_ids=SHORT_ID,
)

# "Azure OpenAI in Microsoft Foundry Models REST API, v1": POST {endpoint}/openai/v1/chat/completions, the key
# in the header api-key. The model is the name of a deployment.
AZURE = Profile(
    name="Azure OpenAI",
    base_variable="AZURE_OPENAI_ENDPOINT",
    base_path="/openai/v1",
    key_variable="AZURE_OPENAI_API_KEY",
    key_header="api-key",
    capabilities=OPENAI.capabilities,
    max_tokens_field="max_completion_tokens",
    call_ids=SHORT_ID,
)

# What a gateway can do depends on the model behind it: it has to be said.
#
# "Reasoning Tokens", section "Preserving reasoning": the reasoning_details before a tool call go back with
# it, unchanged and in order.
OPENROUTER = Profile(
    name="OpenRouter",
    base_url="https://openrouter.ai/api/v1",
    key_variable="OPENROUTER_API_KEY",
    call_ids=SHORT_ID,
    replay="reasoning_details",
)

# "Structured Outputs": "Streaming and tool use are not currently supported with Structured Outputs", and an
# agent streams. "Reasoning": reasoning_format defaults to raw, which is tags in the text, unless tools or
# JSON are asked for. "API reference": max_tokens is deprecated. Older streams report usage in x_groq only.
GROQ = Profile(
    name="Groq",
    base_url="https://api.groq.com/openai/v1",
    key_variable="GROQ_API_KEY",
    max_tokens_field="max_completion_tokens",
    usage_within="x_groq",
    think_tags=(THINK,),
)

# "Chat Completion API" and the client generated from it: random_seed; tool_choice "any" demands a call; there
# is no stream_options, a field that is not known is refused, and usage always ends a stream. response_format
# and tools exclude each other.
#
# mistral-common, which checks requests (protocol/instruct/validator.py): ids of calls match [a-zA-Z0-9]{9}; a
# system message follows no ASSISTANT or TOOL message, and a USER message no TOOL message.
MISTRAL = Profile(
    name="Mistral",
    base_url="https://api.mistral.ai/v1",
    key_variable="MISTRAL_API_KEY",
    capabilities=Capabilities(native_schema=True),
    seed_field="random_seed",
    required_choice="any",
    call_ids=re.compile(r"[a-zA-Z0-9]{9}"),
    strict_roles=True,
    stream_usage=False,
)

# "Create Chat Completion": response_format knows text and json_object only, and there is no seed. "Thinking
# Mode": it is on by default, and after a tool call, reasoning_content must be sent back in all further
# requests, or they are refused; where there was no tool call, it is ignored. An empty one will do.
DEEPSEEK = Profile(
    name="DeepSeek",
    base_url="https://api.deepseek.com",
    key_variable="DEEPSEEK_API_KEY",
    unsupported=frozenset({"seed"}),
    replay="reasoning_content",
    replay_needed=True,
)

# "Reasoning": most models have a field for it, and some write tags into their text.
TOGETHER = Profile(
    name="Together",
    base_url="https://api.together.ai/v1",
    key_variable="TOGETHER_API_KEY",
    think_tags=(THINK,),
)
