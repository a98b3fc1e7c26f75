"""The servers that speak chat completions and are known by name: data, and nothing else.

To add one, write its entry in `PROFILES` and its name in `ProfileName`, both in the order of the alphabet.
Above an entry stands the page of the vendor's that each fact comes from. `infer_provider`, errors that list
names, and the table in the guide on providers follow from what is written here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, TypeAlias

from finalturn._core.markup import THINK
from finalturn._core.model import Capabilities
from finalturn._providers.openai_chat.profile import ANY_MODEL_TAG, SHORT_ID, Profile

ProfileName: TypeAlias = Literal[
    "azure",
    "deepseek",
    "groq",
    "llamacpp",
    "lmstudio",
    "mistral",
    "ollama",
    "openai",
    "openrouter",
    "together",
    "vllm",
]

ANY_SERVER = Profile(think_tags=ANY_MODEL_TAG, text_calls=True)
"""A server of which nothing is known but that it speaks chat completions: most often one's own."""

_OPENAI_MODELS = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)

# What people run themselves. None needs a key; one that was given a key wants it. The rest comes from models
# and their templates:
#
# - A template may accept a system message at the start only ("System message must be at the beginning"), and
#   messages of user and model only in turn.
# - A schema becomes a grammar: the model can write nothing else, but does not see it, and would have to guess
#   what a field is for. While it binds, no tool can be called.
# - Reasoning stays in the text where the server does not know how the model marks it. So do calls, where it
#   has no parser for the model or is started without one: vLLM's --tool-call-parser, llama.cpp's --jinja.
# - Whether a model sees images has to be said.
_SELF_HOSTED = Profile(
    key_needed=False,
    capabilities=Capabilities(native_schema=True, native_schema_any_root=True),
    strict_schema=False,
    schema_in_words=True,
    strict_roles=True,
    think_tags=ANY_MODEL_TAG,
    text_calls=True,
)

PROFILES: dict[ProfileName, Profile] = {
    # "Azure OpenAI in Microsoft Foundry Models REST API, v1": POST {endpoint}/openai/v1/chat/completions, the
    # key in the header api-key. The model is the name of a deployment.
    "azure": Profile(
        name="Azure OpenAI",
        base_variable="AZURE_OPENAI_ENDPOINT",
        base_path="/openai/v1",
        key_variable="AZURE_OPENAI_API_KEY",
        key_header="api-key",
        capabilities=_OPENAI_MODELS,
        max_tokens_field="max_completion_tokens",
        call_ids=SHORT_ID,
    ),
    # "Create Chat Completion": response_format knows text and json_object only, and there is no seed.
    # "Thinking Mode": it is on by default, and after a tool call, reasoning_content must be sent back in all
    # further requests, or they are refused; where there was no tool call, it is ignored. An empty one will
    # do.
    "deepseek": Profile(
        name="DeepSeek",
        base_url="https://api.deepseek.com",
        key_variable="DEEPSEEK_API_KEY",
        unsupported=frozenset({"seed"}),
        replay="reasoning_content",
        replay_needed=True,
    ),
    # "Structured Outputs": "Streaming and tool use are not currently supported with Structured Outputs", and
    # an agent streams. "Reasoning": reasoning_format defaults to raw, which is tags in the text, unless tools
    # or JSON are asked for. "API reference": max_tokens is deprecated. Older streams report usage in x_groq
    # only.
    "groq": Profile(
        name="Groq",
        base_url="https://api.groq.com/openai/v1",
        client_package="groq",
        key_variable="GROQ_API_KEY",
        max_tokens_field="max_completion_tokens",
        usage_within="x_groq",
        think_tags=(THINK,),
    ),
    # "LLaMA.cpp HTTP Server": --api-key or LLAMA_API_KEY; --reasoning-format none leaves reasoning in the
    # text. With tools and a schema, the schema wins.
    "llamacpp": replace(
        _SELF_HOSTED,
        name="llama.cpp",
        base_url="http://localhost:8080/v1",
        key_variable="LLAMA_API_KEY",
        replay="reasoning_content",
    ),
    # "Structured Output": schemas, by llama.cpp's grammars or Outlines. "API Changelog": stream_options, and
    # reasoning in a field of its own only when that is turned on. Images come as data ("'url' field must be a
    # base64 encoded image"). The variable is the one that its documentation uses.
    "lmstudio": replace(
        _SELF_HOSTED,
        name="LM Studio",
        base_url="http://localhost:1234/v1",
        key_variable="LM_API_TOKEN",
        capabilities=Capabilities(native_schema=True),
        image_urls=False,
    ),
    # "Chat Completion API" and the client generated from it: random_seed; tool_choice "any" demands a call;
    # there is no stream_options, a field that is not known is refused, and usage always ends a stream.
    # response_format and tools exclude each other.
    #
    # mistral-common, which checks requests (protocol/instruct/validator.py): ids of calls match
    # [a-zA-Z0-9]{9}; a system message follows no ASSISTANT or TOOL message, and a USER message no TOOL
    # message.
    "mistral": Profile(
        name="Mistral",
        base_url="https://api.mistral.ai/v1",
        client_package="mistralai",
        key_variable="MISTRAL_API_KEY",
        capabilities=Capabilities(native_schema=True),
        seed_field="random_seed",
        required_choice="any",
        call_ids=re.compile(r"[a-zA-Z0-9]{9}"),
        strict_roles=True,
        stream_usage=False,
    ),
    # "OpenAI compatibility": neither tool_choice nor addresses of images are among the fields that are
    # supported, and its source drops the one and refuses the other; max_tokens; reasoning comes and goes in
    # `reasoning`.
    "ollama": replace(
        _SELF_HOSTED,
        name="Ollama",
        base_url="http://localhost:11434/v1",
        client_package="ollama",
        key_variable="OLLAMA_API_KEY",
        unsupported=frozenset({"tool_choice"}),
        image_urls=False,
        replay="reasoning",
    ),
    # Guide "Structured model outputs": with tools too; the root is an object. API reference, "Create chat
    # completion": max_tokens is deprecated, and models that reason refuse it.
    "openai": Profile(
        name="OpenAI",
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        capabilities=_OPENAI_MODELS,
        max_tokens_field="max_completion_tokens",
        call_ids=SHORT_ID,
    ),
    # What a gateway can do depends on the model behind it: it has to be said.
    #
    # "Reasoning Tokens", section "Preserving reasoning": the reasoning_details before a tool call go back
    # with it, unchanged and in order.
    "openrouter": Profile(
        name="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        call_ids=SHORT_ID,
        replay="reasoning_details",
    ),
    # "Reasoning": most models have a field for it, and some write tags into their text.
    "together": Profile(
        name="Together",
        base_url="https://api.together.ai/v1",
        key_variable="TOGETHER_API_KEY",
        think_tags=(THINK,),
    ),
    # "OpenAI-Compatible Server": --api-key or VLLM_API_KEY. "Reasoning Outputs": only with a parser for the
    # model; the field is `reasoning`, once reasoning_content, and it is taken back for interleaved thinking.
    "vllm": replace(
        _SELF_HOSTED,
        name="vLLM",
        base_url="http://localhost:8000/v1",
        key_variable="VLLM_API_KEY",
        replay="reasoning",
    ),
}
