"""Servers that people run themselves. None needs a key; one that was given a key wants it.

What they have in common comes from models and their templates:

- A template may accept a system message at the start only ("System message must be at the beginning"), and
  messages of user and model only in turn.
- A schema becomes a grammar: the model can write nothing else, but does not see it, and would have to guess
  what a field is for. While it binds, no tool can be called.
- Reasoning stays in the text where the server does not know how the model marks it. So do calls, where it has
  no parser for the model or is started without one: vLLM's --tool-call-parser, llama.cpp's --jinja.
- Whether a model sees images has to be said.
"""

from __future__ import annotations

from finalturn._core.model import Capabilities
from finalturn._providers.openai_chat.profile import ANY_MODEL_TAG, Profile

_ANY_SCHEMA = Capabilities(native_schema=True, native_schema_any_root=True)

# "OpenAI compatibility": neither tool_choice nor addresses of images are among the fields that are supported,
# and its source drops the one and refuses the other; max_tokens; reasoning comes and goes in `reasoning`.
OLLAMA = Profile(
    name="Ollama",
    base_url="http://localhost:11434/v1",
    key_variable="OLLAMA_API_KEY",
    key_needed=False,
    capabilities=_ANY_SCHEMA,
    unsupported=frozenset({"tool_choice"}),
    strict_schema=False,
    schema_in_words=True,
    image_urls=False,
    strict_roles=True,
    think_tags=ANY_MODEL_TAG,
    text_calls=True,
    replay="reasoning",
)

# "OpenAI-Compatible Server": --api-key or VLLM_API_KEY. "Reasoning Outputs": only with a parser for the
# model; the field is `reasoning`, once reasoning_content, and it is taken back for interleaved thinking.
VLLM = Profile(
    name="vLLM",
    base_url="http://localhost:8000/v1",
    key_variable="VLLM_API_KEY",
    key_needed=False,
    capabilities=_ANY_SCHEMA,
    strict_schema=False,
    schema_in_words=True,
    strict_roles=True,
    think_tags=ANY_MODEL_TAG,
    text_calls=True,
    replay="reasoning",
)

# "LLaMA.cpp HTTP Server": --api-key or LLAMA_API_KEY; --reasoning-format none leaves reasoning in the text.
# With tools and a schema, the schema wins.
LLAMACPP = Profile(
    name="llama.cpp",
    base_url="http://localhost:8080/v1",
    key_variable="LLAMA_API_KEY",
    key_needed=False,
    capabilities=_ANY_SCHEMA,
    strict_schema=False,
    schema_in_words=True,
    strict_roles=True,
    think_tags=ANY_MODEL_TAG,
    text_calls=True,
    replay="reasoning_content",
)

# "Structured Output": schemas, by llama.cpp's grammars or Outlines. "API Changelog": stream_options, and
# reasoning in a field of its own only when that is turned on. Images come as data ("'url' field must be a
# base64 encoded image"). The variable is the one that its documentation uses.
LMSTUDIO = Profile(
    name="LM Studio",
    base_url="http://localhost:1234/v1",
    key_variable="LM_API_TOKEN",
    key_needed=False,
    capabilities=Capabilities(native_schema=True),
    strict_schema=False,
    schema_in_words=True,
    image_urls=False,
    strict_roles=True,
    think_tags=ANY_MODEL_TAG,
    text_calls=True,
)
